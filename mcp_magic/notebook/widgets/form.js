// Draws a form from a sheet (`forms.sheet`) and gives back what was entered, as marks
// (`forms.entered`). What is typed stays the text that it is.
//
//   const form = makeForm(sheet, { mark, changed });
//   form.el            the form, to be put somewhere
//   form.mark(hide)    what was entered; with hide, secrets stay here
//   form.fill(mark)    enter what an earlier form gave back
//   form.show(list)    show problems at their places, and return these with them
//   form.at(pointer)   the place that a pointer means
//   form.unready()     what only the browser knows to be wrong, such as half a date

const COMPLEX = new Set(["group", "list", "tuple", "map", "union", "choices"]);
const PICKED = new Set(["choice", "fixed"]); // their states are options of the select

function makeForm(sheet, { mark = null, changed = () => {} } = {}) {
  let ready = false;
  const tell = () => ready && changed();
  const root = new Place(sheet, { id: newId(), changed: tell }, { bare: true });
  if (mark) root.fill(mark);
  ready = true;
  return {
    el: root.el,
    mark: (hide = false) => root.mark(hide) ?? { members: [] },
    fill: (given) => root.fill(given),
    unready: () => [...root.unready("")],
    focus: () => root.focus(),
    show(problems) {
      root.clear();
      return problems.map((problem) => {
        const place = root.at(problem.pointer);
        place.complain(problem.message);
        return { ...problem, place };
      });
    },
    at: (pointer) => root.at(pointer),
  };
}

const step = (name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Return a name without what only sets it off from its title. */
const plain = (name) => name.replaceAll(/[\s_.-]/g, "").toLowerCase();

/** One place of a form: its name, the choice of what is sent, and its box. */
class Place {
  constructor(sheet, form, { bare = false, row = null, forget = null } = {}) {
    Object.assign(this, { sheet, form, bare, row });
    this.id = `${form.id}-${(ids += 1)}`;
    this.optional = !bare && row === null && !sheet.required;
    this.state = this.startState();
    this.problem = h("div", { class: "mcp-problem", id: `${this.id}-problem` });
    this.inner = h("div", { class: "mcp-box" });
    this.states = this.makeStates();
    this.el = bare ? h("div", { class: "mcp-form" }) : this.frame(forget);
    this.el.append(this.inner, this.problem);
    if (this.states) this.el.append(this.states); // Tab reaches the box first
    this.update();
  }

  get complex() {
    return COMPLEX.has(this.sheet.kind);
  }

  startState() {
    if (this.bare || this.row !== null) return "value";
    if (this.sheet.required && (this.complex || this.sheet.kind === "fixed")) {
      return "value";
    }
    return "absent";
  }

  get label() {
    return this.row ?? this.sheet.label;
  }

  frame(forget) {
    const { sheet } = this;
    const name = h("code", {}, this.label);
    const label = this.complex
      ? h("span", { class: "mcp-name", id: `${this.id}-name` }, name)
      : h("label", { class: "mcp-name", for: `${this.id}-box` }, name);
    if (sheet.title && this.row === null && plain(sheet.title) !== plain(sheet.name)) {
      label.append(" ", sheet.title);
    }
    const head = h("div", { class: "mcp-head" }, label);
    if (sheet.required && this.row === null) {
      head.append(h("span", { class: "mcp-tag" }, "required"));
    }
    head.append(h("span", { class: "mcp-hint", id: `${this.id}-hint` }, sheet.hint));
    if (forget) head.append(button("Remove", forget, { "aria-label": `Remove ${this.label}` }));
    const help = sheet.help && this.row === null
      ? h("div", { class: "mcp-help", id: `${this.id}-help` }, sheet.help)
      : null;
    const role = this.complex ? { role: "group", "aria-labelledby": `${this.id}-name` } : {};
    return h("div", { class: `mcp-place mcp-kind-${sheet.kind}`, ...role }, head, help);
  }

  /** The select that says what is sent; none where there is nothing to choose. */
  makeStates() {
    const { sheet } = this;
    if (this.bare || PICKED.has(sheet.kind) || sheet.kind === "never") return null;
    const ways = [];
    if (this.optional) ways.push(["absent", "not sent"]);
    else if (this.startState() === "absent") ways.push(["absent", "to fill in"]);
    if (sheet.has_default && this.row === null) {
      ways.push(["default", `default: ${sheet.default}`]);
    }
    ways.push(["value", this.complex ? "fill in" : "value"]);
    if (sheet.nullable) ways.push(["null", "null"]);
    const canBeEmpty = sheet.kind === "text" && this.row === null;
    if (ways.length < 2 || (ways.length === 2 && !this.optional && !sheet.nullable && !canBeEmpty)) {
      return null;
    }
    const options = ways.map(([value, text]) => h("option", { value }, text));
    return h(
      "select",
      {
        class: "mcp-state",
        "aria-label": `${this.label}: what is sent`,
        onchange: (event) => this.choose(event.target.value),
      },
      ...options,
    );
  }

  /** Take a state that the person chose. */
  choose(state) {
    this.state = state;
    if (state !== "value" && this.box) this.box.empty?.();
    this.update();
    if (state === "value") this.box.focus();
    this.form.changed();
  }

  /** The box was touched: what it holds is sent, unless it was emptied. */
  touched(isEmpty = false) {
    const canBeAbsent = this.row === null && !this.bare && !this.complex;
    this.state = isEmpty && canBeAbsent ? "absent" : "value";
    this.update();
    this.form.changed();
  }

  update() {
    const open = !this.complex || this.state === "value";
    if (open && !this.box) {
      this.box = BOXES[this.sheet.kind](this);
      this.inner.append(this.box.el);
    }
    this.inner.hidden = !open;
    if (this.states) {
      this.states.value = this.state;
      const value = this.states.querySelector("[value=value]");
      if (this.sheet.kind === "text") {
        const isEmpty = this.state === "value" && this.box.isEmpty();
        value.textContent = isEmpty ? "empty text" : "value";
      }
    }
    this.el.dataset.state = this.state;
    this.box?.stateChanged?.(this.state);
  }

  mark(hide) {
    switch (this.state) {
      case "absent":
        return undefined;
      case "null":
        return { null: true };
      case "default":
        return { default: true };
    }
    const { secret } = this.sheet;
    return hide && secret ? { hidden: true } : this.box.mark(hide);
  }

  fill(mark) {
    if (!mark || mark.hidden) this.state = this.startState();
    else if (mark.null) this.state = "null";
    else if (mark.default) this.state = "default";
    else this.state = "value";
    this.update();
    if (mark && this.state === "value") this.box.fill(mark);
    this.update();
  }

  inside() {
    return this.state === "value" && this.box?.inside ? this.box.inside() : [];
  }

  *unready(at) {
    const wrong = this.box?.unready?.(this.state);
    if (wrong) yield { pointer: at, message: `${this.label} ${wrong}` };
    for (const [name, place] of this.inside()) {
      yield* place.unready(at + (name === null ? "" : step(name)));
    }
  }

  clear() {
    this.problem.replaceChildren();
    this.box?.control?.removeAttribute("aria-invalid");
    for (const [, place] of this.inside()) place.clear();
  }

  /** Return the innermost place on the way of a pointer. */
  at(way) {
    for (const [name, place] of this.inside()) {
      const head = name === null ? "" : step(name);
      if (`${way}/`.startsWith(`${head}/`) || name === null) {
        return place.at(way.slice(head.length));
      }
    }
    return this;
  }

  complain(message) {
    this.problem.append(h("div", {}, message));
    this.box?.control?.setAttribute("aria-invalid", "true");
  }

  focus() {
    if (this.state === "value" || !this.complex) this.box.focus();
    else this.states?.focus();
  }

  describedBy() {
    const parts = ["problem"];
    if (!this.bare) parts.unshift("hint");
    if (this.sheet.help && !this.bare && this.row === null) parts.unshift("help");
    return parts.map((part) => `${this.id}-${part}`).join(" ");
  }

  /** What the control of a simple place carries. */
  controlAttributes() {
    const named = this.bare ? { "aria-label": this.label || "Arguments" } : {};
    return {
      id: `${this.id}-box`,
      "aria-describedby": this.describedBy(),
      "aria-required": this.sheet.required ? "true" : null,
      ...named,
    };
  }
}

// -- boxes, one for each kind

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

function textBox(place) {
  const attributes = { ...place.controlAttributes(), spellcheck: "false" };
  const control = place.sheet.secret
    ? h("input", { type: "password", autocomplete: "off", ...attributes })
    : h("textarea", { rows: 1, ...attributes });
  return typedBox(place, control);
}

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
  const control = h("textarea", {
    rows: 1,
    spellcheck: "false",
    class: "mcp-code",
    ...place.controlAttributes(),
  });
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

function booleanBox(place) {
  const control = h("input", { type: "checkbox", ...place.controlAttributes() });
  const word = h("span", { "aria-hidden": "true" });
  control.addEventListener("change", () => place.touched());
  const says = { absent: "—", default: "the default", null: "null" };
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
  const boxes = place.sheet.choices.map((label, at) => {
    const id = `${place.id}-${at}`;
    const control = h("input", { type: "checkbox", id, onchange: () => place.touched() });
    return { control, el: h("div", { class: "mcp-line" }, control, h("label", { for: id }, label)) };
  });
  return {
    el: h("div", { class: "mcp-choices" }, ...boxes.map((one) => one.el)),
    control: boxes[0]?.control,
    mark: () => ({
      chosen: boxes.flatMap((one, at) => (one.control.checked ? [at] : [])),
    }),
    fill(mark) {
      boxes.forEach((one, at) => (one.control.checked = mark.chosen?.includes(at) ?? false));
    },
    focus: () => boxes[0]?.control.focus(),
  };
}

function groupBox(place) {
  const { sheet, form } = place;
  const places = (sheet.fields ?? []).map((one) => [one.name, new Place(one, form)]);
  const added = sheet.open ? new KeyRows(place, { kind: "json", hint: "JSON or text" }) : null;
  const nothing = !places.length && !added;
  return {
    el: h(
      "div",
      { class: place.bare ? "" : "mcp-inside" },
      ...places.map(([, one]) => one.el),
      added?.el,
      nothing ? h("p", { class: "mcp-hint" }, "It takes no arguments.") : null,
    ),
    mark(hide) {
      const members = [...places, ...(added?.entries() ?? [])]
        .map(([name, one]) => [name, one.mark(hide)])
        .filter(([, mark]) => mark !== undefined);
      return { members };
    },
    fill(mark) {
      const given = new Map(mark.members ?? []);
      for (const [name, one] of places) one.fill(given.get(name));
      const known = new Set(places.map(([name]) => name));
      added?.fill((mark.members ?? []).filter(([name]) => !known.has(name)));
    },
    inside: () => [...places, ...(added?.entries() ?? [])],
    focus: () => (places.length ? places[0][1].focus() : added?.focus()),
  };
}

function mapBox(place) {
  const rows = new KeyRows(place, place.sheet.item, place.sheet.keys ?? []);
  return {
    el: rows.el,
    mark: (hide) => ({
      members: rows.entries().map(([name, one]) => [name, one.mark(hide)]),
    }),
    fill: (mark) => rows.fill(mark.members ?? []),
    inside: () => rows.entries(),
    focus: () => rows.focus(),
  };
}

/** Rows of a key and a value. */
class KeyRows {
  constructor(place, sheet, keys = []) {
    Object.assign(this, { place, sheet, keys, rows: [] });
    this.list = h("div", { class: "mcp-rows" });
    const text = "Add a key";
    this.more = button(text, () => this.add().key.focus(), {
      "aria-label": place.label ? `${text} to ${place.label}` : text,
    });
    this.el = h("div", {}, this.list, this.more);
  }

  add(name = this.keys[0] ?? "") {
    const key = this.keys.length
      ? h("select", {}, ...this.keys.map((one) => h("option", { value: one }, one)))
      : h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    key.setAttribute("aria-label", "Key");
    key.value = name;
    const row = { key };
    const forget = () => this.remove(row);
    row.place = new Place(this.sheet, this.place.form, { row: "value", forget });
    key.addEventListener("input", () => this.place.form.changed());
    row.el = h("div", { class: "mcp-row" }, key, row.place.el);
    this.rows.push(row);
    this.list.append(row.el);
    this.place.form.changed();
    return row;
  }

  remove(row) {
    this.rows = this.rows.filter((one) => one !== row);
    row.el.remove();
    this.more.focus();
    this.place.form.changed();
  }

  entries() {
    return this.rows.map((row) => [row.key.value, row.place]);
  }

  fill(members) {
    for (const row of [...this.rows]) this.remove(row);
    for (const [name, mark] of members) this.add(name).place.fill(mark);
  }

  focus() {
    (this.rows[0]?.key ?? this.more).focus();
  }
}

function listBox(place) {
  const { sheet, form } = place;
  let rows = [];
  const list = h("div", { class: "mcp-rows" });
  const name = (at) => `${place.label || "item"} ${at + 1}`;
  const add = () => {
    const row = new Place(sheet.item, form, { row: name(rows.length), forget: () => remove(row) });
    rows.push(row);
    list.append(row.el);
    form.changed();
    return row;
  };
  const remove = (row) => {
    const after = rows.slice(rows.indexOf(row) + 1);
    const marks = after.map((one) => one.mark(false));
    // The rows behind it take new numbers.
    for (const one of [row, ...after]) one.el.remove();
    rows = rows.slice(0, rows.indexOf(row));
    for (const mark of marks) add().fill(mark);
    more.focus();
    form.changed();
  };
  const more = button("Add", () => add().focus(), { "aria-label": `Add to ${place.label || "the list"}` });
  return {
    el: h("div", {}, list, more),
    mark: (hide) => ({ rows: rows.map((one) => one.mark(hide) ?? null) }),
    fill(mark) {
      rows = [];
      list.replaceChildren();
      for (const one of mark.rows ?? []) add().fill(one);
    },
    inside: () => rows.map((one, at) => [at, one]),
    focus: () => (rows[0] ?? more).focus(),
  };
}

function tupleBox(place) {
  const places = (place.sheet.fields ?? []).map(
    (one, at) => new Place({ ...one, label: String(at + 1) }, place.form),
  );
  return {
    el: h("div", { class: "mcp-inside" }, ...places.map((one) => one.el)),
    mark: (hide) => ({ rows: places.map((one) => one.mark(hide) ?? null) }),
    fill: (mark) => places.forEach((one, at) => one.fill(mark.rows?.[at])),
    inside: () => places.map((one, at) => [at, one]),
    focus: () => places[0]?.focus(),
  };
}

function unionBox(place) {
  const { sheet, form } = place;
  const made = new Map();
  const shown = h("div", {});
  const control = h("select", {
    "aria-label": `${place.label || "Arguments"}: which way`,
    onchange: () => {
      turn(control.value);
      place.touched();
    },
  });
  sheet.variants.forEach((one, at) => control.append(h("option", { value: at }, one.label)));
  let now = null;
  function turn(at) {
    control.value = at;
    if (!made.has(control.value)) {
      const way = { ...sheet.variants[Number(control.value)], name: sheet.name };
      made.set(control.value, new Place(way, form, { bare: true }));
    }
    now = made.get(control.value);
    shown.replaceChildren(now.el);
  }
  turn("0");
  return {
    el: h("div", {}, h("div", { class: "mcp-line" }, control), shown),
    control,
    mark(hide) {
      const mark = now.mark(hide);
      return mark && { variant: Number(control.value), mark };
    },
    fill(mark) {
      if (mark.variant === undefined) return;
      turn(String(mark.variant));
      now.fill(mark.mark);
    },
    inside: () => [[null, now]],
    focus: () => control.focus(),
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
  list: listBox,
  tuple: tupleBox,
  map: mapBox,
  union: unionBox,
  json: jsonBox,
  never: neverBox,
};
