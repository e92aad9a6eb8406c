// The boxes of a form, one for each kind of field (`BOXES`): each draws itself and knows
// what it holds; `Place` (form.js) knows whether that is sent.

const PLACEHOLDERS = { default: "the default", null: "null" };

/** A box for typed text; whatever the kind, the text is sent as it was typed. */
function typedBox(place, control, { note = null } = {}) {
  const grow = () => {
    if (control.tagName !== "TEXTAREA") return;
    const lines = control.value.split("\n").length;
    control.rows = Math.min(Math.max(lines, 1), 12);
  };
  control.addEventListener("input", () => {
    grow();
    place.touched(control.value === "");
  });
  return {
    el: h("div", {}, control, note),
    control,
    isEmpty: () => control.value === "",
    mark: () => ({ typed: control.value }),
    fill(mark) {
      control.value = mark.typed ?? "";
      grow();
    },
    empty() {
      control.value = "";
      grow();
    },
    focus: () => control.focus(),
    stateChanged(state) {
      const { sheet } = place;
      const shown = sheet.has_default && place.optional ? `default: ${sheet.default}` : "";
      control.placeholder = PLACEHOLDERS[state] ?? shown;
    },
  };
}

function textControl(place, more = {}) {
  const attributes = { ...place.controlAttributes(), spellcheck: "false" };
  return place.sheet.secret
    ? h("input", { type: "password", autocomplete: "off", ...attributes })
    : h("textarea", { rows: 1, ...attributes, ...more });
}

const textBox = (place) => typedBox(place, textControl(place));

function numberBox(place) {
  const control = h("input", {
    type: "text",
    inputmode: place.sheet.kind === "integer" ? "numeric" : "decimal",
    autocomplete: "off",
    spellcheck: "false",
    ...place.controlAttributes(),
  });
  return typedBox(place, control);
}

function lineBox(place) {
  const attributes = { type: "text", autocomplete: "off", ...place.controlAttributes() };
  return typedBox(place, h("input", attributes));
}

function dateBox(place) {
  const control = h("input", { type: "date", ...place.controlAttributes() });
  const box = typedBox(place, control);
  const isHalf = () => control.validity.badInput;
  control.addEventListener("input", () => {
    if (isHalf()) place.touched(false);
  });
  // A date that was never whole tells of no input: it is asked for in every state.
  const wrong = (state) =>
    isHalf() || (state === "value" && control.value === "") ? "needs a whole date." : null;
  return { ...box, unready: wrong };
}

function jsonBox(place) {
  const control = textControl(place, { class: "mcp-code" });
  const note = h("div", { class: "mcp-hint", role: "status" });
  const box = typedBox(place, control, { note });
  const says = () => {
    if (control.value === "") return "";
    try {
      JSON.parse(control.value);
      return "read as JSON";
    } catch {
      return "no JSON: sent as text where a text may stand";
    }
  };
  return {
    ...box,
    stateChanged(state) {
      box.stateChanged(state);
      note.textContent = state === "value" ? says() : "";
    },
  };
}

/** A check box; where the answer is wanted, two radio buttons, neither of them chosen. */
function booleanBox(place) {
  if (place.sheet.required && place.row === null) return eitherBox(place);
  const control = h("input", { type: "checkbox", ...place.controlAttributes() });
  // A box that is neither on nor off says "mixed"; the words say what that means.
  const word = h("span", { id: `${place.id}-word` });
  control.setAttribute("aria-describedby", `${word.id} ${place.describedBy()}`);
  control.addEventListener("change", () => place.touched());
  control.addEventListener("keydown", (event) => {
    if (event.key !== "Delete" || !place.optional) return;
    event.preventDefault();
    place.choose("absent");
  });
  if (place.optional) control.title = "Space: true or false. Delete: not sent.";
  const says = { absent: "not sent", default: `default: ${place.sheet.default}`, null: "null" };
  return {
    el: h("div", { class: "mcp-line" }, control, word),
    control,
    mark: () => ({ typed: control.checked ? "true" : "false" }),
    fill: (mark) => (control.checked = mark.typed === "true"),
    empty: () => (control.checked = false),
    focus: () => control.focus(),
    stateChanged(state) {
      control.indeterminate = state !== "value";
      word.textContent = says[state] ?? (control.checked ? "true" : "false");
    },
  };
}

function eitherBox(place) {
  const { id, "aria-required": needed } = place.controlAttributes();
  const radios = ["true", "false"].map((value) =>
    h("input", {
      type: "radio",
      name: `${place.id}-either`,
      id: `${place.id}-${value}`,
      value,
      onchange: () => place.touched(),
    }),
  );
  const control = h(
    "div",
    {
      id,
      class: "mcp-line",
      role: "radiogroup",
      "aria-labelledby": `${place.id}-name`,
      "aria-describedby": place.describedBy(),
      "aria-required": needed,
    },
    ...radios.map((radio) => h("label", {}, radio, radio.value)),
  );
  const choose = (typed) => radios.forEach((one) => (one.checked = one.value === typed));
  const chosen = () => radios.find((one) => one.checked);
  return {
    el: control,
    control,
    mark: () => ({ typed: chosen()?.value ?? "" }),
    fill: (mark) => choose(mark.typed),
    empty: () => choose(null),
    focus: () => (chosen() ?? radios[0]).focus(),
    unready: (state) => (state === "value" && !chosen() ? "needs a choice." : null),
  };
}

/** A select that holds the choices and, as further options, the other states. */
function choiceBox(place) {
  const { sheet } = place;
  const control = h("select", place.controlAttributes());
  const option = (value, text) => control.append(h("option", { value }, text));
  const isFixed = sheet.kind === "fixed" && !place.optional;
  if (!isFixed) option("absent", place.optional ? "not sent" : "choose …");
  if (sheet.has_default && place.row === null && !isFixed) {
    option("default", `default: ${sheet.default}`);
  }
  sheet.choices.forEach((label, at) => option(`at:${at}`, label));
  if (sheet.nullable && sheet.kind === "choice") option("null", "null");
  control.addEventListener("change", () => {
    const isChoice = control.value.startsWith("at:");
    place.state = isChoice ? "value" : control.value;
    if (place.row !== null && place.state === "absent") place.state = "value";
    place.update();
    place.form.changed();
  });
  const chosen = () =>
    control.value.startsWith("at:") ? [Number(control.value.slice(3))] : [];
  return {
    el: control,
    control,
    mark: () => ({ chosen: chosen() }),
    fill: (mark) => (control.value = `at:${mark.chosen?.[0] ?? ""}`),
    focus: () => control.focus(),
    unready: (state) =>
      state === "value" && !chosen().length ? "needs a choice." : null,
    stateChanged(state) {
      if (state !== "value") control.value = state;
    },
  };
}

function choicesBox(place) {
  let given = null; // what was filled in, in its order, until a box is touched
  const touch = () => {
    given = null;
    place.touched();
  };
  const boxes = place.sheet.choices.map((label, at) => {
    const id = `${place.id}-${at}`;
    const control = h("input", { type: "checkbox", id, onchange: touch });
    return { control, el: h("div", { class: "mcp-line" }, control, h("label", { for: id }, label)) };
  });
  return {
    el: h("div", { class: "mcp-choices" }, ...boxes.map((one) => one.el)),
    control: boxes[0]?.control,
    mark: () => ({
      chosen: given ?? boxes.flatMap((one, at) => (one.control.checked ? [at] : [])),
    }),
    fill(mark) {
      given = mark.chosen ?? [];
      boxes.forEach((one, at) => (one.control.checked = given.includes(at)));
    },
    focus: () => boxes[0]?.control.focus(),
  };
}

function neverBox() {
  return {
    el: h("div", { class: "mcp-hint" }, "The schema allows no value here."),
    mark: () => undefined,
    fill() {},
    focus() {},
  };
}

const BOXES = {
  text: textBox,
  date: dateBox,
  "date-time": lineBox,
  integer: numberBox,
  number: numberBox,
  boolean: booleanBox,
  fixed: choiceBox,
  choice: choiceBox,
  choices: choicesBox,
  group: groupBox,
  list: (place) => new ListBox(place),
  tuple: tupleBox,
  map: mapBox,
  union: unionBox,
  json: jsonBox,
  never: neverBox,
};
