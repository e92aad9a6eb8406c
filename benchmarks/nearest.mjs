// The published rule of typo correction over all names: one answer a line, then seconds.
// node nearest.mjs [MODULE] < {"names": […], "typos": […]}
// MODULE exports chooseClosestIdentifier(typed, names); without it the rule below serves.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

function normalised(name) {
  return name.replace(/[^a-z0-9]/gi, "").toLowerCase();
}

function distance(a, b) {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = above[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1);
      here.push(Math.min(here[column - 1] + 1, above[column] + 1, change));
    }
    above = here;
  }
  return above[b.length];
}

function nearest(typed, names) {
  const wanted = normalised(typed);
  let best, least = Infinity;
  for (const name of names) {
    const known = normalised(name);
    if (name === typed || known === wanted) return { kind: "auto", value: name };
    const edits = distance(wanted, known);
    if (edits < least) [best, least] = [name, edits];
  }
  const longer = Math.max(wanted.length, normalised(best).length);
  const near = least <= Math.max(2, Math.floor(0.3 * longer));
  return { kind: near ? "auto" : "suggest", value: best };
}

const theirs = process.argv[2];
const choose = theirs
  ? (await import(pathToFileURL(theirs).href)).chooseClosestIdentifier
  : nearest;
const { names, typos } = JSON.parse(readFileSync(0, "utf8"));
for (const typed of typos.slice(0, 3)) choose(typed, names); // compiled by now
const answers = [];
for (const typed of typos) {
  const started = performance.now();
  const { kind, value } = choose(typed, names);
  answers.push({ seconds: (performance.now() - started) / 1000, kind, value });
}
console.log(JSON.stringify(answers));
