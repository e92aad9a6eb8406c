// Draws a form from a sheet (`forms.sheet`) and gives back what was entered, as marks
// (`forms.entered`). What is typed stays the text that it is.
//
//   const form = makeForm(sheet, { mark, changed });
//   form.el            the form, to be put somewhere
//   form.mark(hide)    what was entered; with hide, secrets stay here
//   form.fill(mark)    enter what an earlier form gave back
//   form.show(list)    show problems at their places; return both, as they stand there
//   form.at(pointer)   the place that a pointer means
//   form.unready()     what only the browser knows to be wrong, such as half a date
//   form.secrets()     by pointer, the marks of what is hidden
//   form.restore(them) enter secrets of an earlier form that have a place in this one

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
    secrets() {
      const entered = [...root.secretive("")].filter(([, place]) => place.state === "value");
      return new Map(entered.map(([pointer, place]) => [pointer, place.box.mark(false)]));
    },
    restore(secrets) {
      for (const [pointer, place] of root.secretive("")) {
        const mark = secrets.get(pointer);
        if (mark && "rows" in mark === place.complex) place.fill(mark);
      }
    },
    focus: () => root.focus(),
    show(problems) {
      root.clear();
      const shown = problems.map((problem) => {
        const place = root.at(problem.pointer);
        place.complain(problem.message);
        return { ...problem, place };
      });
      return shown.sort((one, other) => order(one.place.el, other.place.el));
    },
    at: (pointer) => root.at(pointer),
  };
}

/** Sort elements as they stand on the page. */
function order(one, other) {
  const where = one.compareDocumentPosition(other);
  if (where & Node.DOCUMENT_POSITION_FOLLOWING) return -1;
  return where & Node.DOCUMENT_POSITION_PRECEDING ? 1 : 0;
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
    this.el = bare ? h("div", { class: "mcp-form" }) : this.frame();
    this.el.append(this.inner, this.problem);
    if (this.states) this.el.append(this.states); // Tab reaches the box first
    if (forget) {
      const label = { class: "mcp-forget", "aria-label": `Remove ${this.label}` };
      this.el.append(button("Remove", forget, label));
    }
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

  frame() {
    const { sheet } = this;
    const name = h("code", {}, this.label);
    const id = `${this.id}-name`;
    const isEither = sheet.kind === "boolean" && sheet.required && this.row === null;
    const label = this.complex || isEither
      ? h("span", { class: "mcp-name", id }, name)
      : h("label", { class: "mcp-name", id, for: `${this.id}-box` }, name);
    if (sheet.title && this.row === null && plain(sheet.title) !== plain(sheet.name)) {
      label.append(" ", sheet.title);
    }
    const head = h("div", { class: "mcp-head" }, label);
    if (sheet.required && this.row === null) {
      head.append(h("span", { class: "mcp-tag" }, "required"));
    }
    head.append(h("span", { class: "mcp-hint", id: `${this.id}-hint` }, sheet.hint));
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
    this.box?.empty?.();
    if (this.complex) {
      this.box = null; // what was inside is gone
      this.inner.replaceChildren();
    }
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

  /** Places for secrets; a list of them is one, as in keeping.py. */
  *secretive(at) {
    const rows = ["list", "tuple"].includes(this.sheet.kind);
    const inner = rows ? [...(this.sheet.fields ?? []), this.sheet.item] : [];
    if (this.sheet.secret || inner.some((one) => one?.secret)) {
      yield [at, this];
      return;
    }
    for (const [name, place] of this.inside()) {
      yield* place.secretive(at + (name === null ? "" : step(name)));
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
