// The box of a list: a row for each item, one at a time or a line each.

const LINED = new Set(["text", "date-time", "integer", "number", "json"]);
const MOST = 500; // rows that are made of lines at once

class ListBox {
  constructor(place) {
    Object.assign(this, { place, rows: [] });
    const name = place.label || "the list";
    this.list = h("div", { class: "mcp-rows" });
    this.more = button("Add", () => this.add().focus(), { "aria-label": `Add to ${name}` });
    this.said = h("span", { class: "mcp-hint", role: "status" });
    const line = h("div", { class: "mcp-line" }, this.more);
    this.el = h("div", {}, this.list, line);
    if (LINED.has(place.sheet.item.kind) && !place.sheet.item.secret) this.takeLines(name, line);
    line.append(this.said);
  }

  add() {
    const row = new Place(this.place.sheet.item, this.place.form, {
      row: `${this.place.label || "item"} ${this.rows.length + 1}`,
      forget: () => this.remove(row),
    });
    this.rows.push(row);
    this.list.append(row.el);
    this.place.form.changed();
    return row;
  }

  remove(row) {
    const at = this.rows.indexOf(row);
    this.replace(at, 1, []);
    (this.rows[Math.min(at, this.rows.length - 1)] ?? this.more).focus();
  }

  /** Put other rows in the place of some; those behind them take new numbers. */
  replace(at, count, marks) {
    const after = this.rows.slice(at + count).map((one) => one.mark(false));
    for (const one of this.rows.splice(at)) one.el.remove();
    for (const mark of [...marks, ...after]) this.add().fill(mark);
    this.place.form.changed();
  }

  mark(hide) {
    return { rows: this.rows.map((one) => one.mark(hide) ?? null) };
  }

  fill(mark) {
    this.replace(0, this.rows.length, mark.rows ?? []);
  }

  inside() {
    return this.rows.map((one, at) => [at, one]);
  }

  focus() {
    (this.rows[0] ?? this.more).focus();
  }

  // -- lines

  /** Offer a box for many lines, and take lines that are pasted into a row. */
  takeLines(name, line) {
    const id = newId();
    const box = h("textarea", { id, rows: 6, spellcheck: "false", class: "mcp-code" });
    const open = button("Paste lines", () => turn(true), { "aria-label": `Paste lines to ${name}` });
    const turn = (isOpen) => {
      panel.hidden = !isOpen;
      open.setAttribute("aria-expanded", String(isOpen));
      (isOpen ? box : open).focus();
    };
    const use = () => {
      if (!this.insert(this.rows.length, 0, box.value)) return;
      box.value = "";
      turn(false);
      this.rows.at(-1).focus();
    };
    const panel = h(
      "div",
      { class: "mcp-lines", hidden: true },
      h("label", { for: id }, "A line for each item; empty lines are left out:"),
      box,
      h("div", { class: "mcp-line" }, button("Add the lines", use), button("Cancel", () => turn(false))),
    );
    open.setAttribute("aria-expanded", "false");
    line.append(open);
    this.el.append(panel);
    this.list.addEventListener("paste", (event) => this.paste(event));
  }

  /** Make a row of each line, where several are pasted into one. */
  paste(event) {
    const text = event.clipboardData.getData("text");
    const at = this.rows.findIndex((row) => row.box.control === event.target);
    if (at < 0 || linesOf(text).length < 2) return;
    const { value, selectionStart, selectionEnd } = event.target;
    const whole = value.slice(0, selectionStart) + text + value.slice(selectionEnd);
    event.preventDefault();
    const count = this.insert(at, 1, whole);
    if (!count || event.target.tagName !== "TEXTAREA") return; // a line holds no lines
    const together = button("As one item instead", () => {
      this.replace(at, count, [{ typed: whole.replaceAll("\r\n", "\n") }]);
      this.said.replaceChildren();
      this.rows[at].focus();
    });
    this.said.append(" ", together);
  }

  /** Put a row for each line in the place of some; return how many there are now. */
  insert(at, count, text) {
    const lines = linesOf(text);
    if (lines.length > MOST) {
      this.said.textContent = `${lines.length} lines are too many for rows: use Edit as JSON.`;
      return 0;
    }
    if (!lines.length) return 0;
    this.replace(at, count, lines.map((typed) => ({ typed })));
    const said = lines.length === 1 ? "1 line" : `${lines.length} lines`;
    this.said.textContent = `${said}, an item each.`;
    this.rows[at + lines.length - 1].focus();
    return lines.length;
  }
}

const linesOf = (text) => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
