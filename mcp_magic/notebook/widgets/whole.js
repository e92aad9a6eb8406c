// The whole form as one JSON text. Python writes and reads it (whole.py): no number
// passes through here, and secrets stay in the form.

/** The editor in place of a pane's form. */
class Whole {
  constructor(pane) {
    Object.assign(this, { pane, isOpen: false, first: null });
    const id = newId();
    this.control = h("textarea", {
      id,
      class: "mcp-code",
      spellcheck: "false",
      autocomplete: "off",
      "aria-describedby": `${id}-kept ${id}-problem`,
      oninput: () => {
        this.grow();
        pane.changed();
      },
    });
    this.kept = h("div", { class: "mcp-hint", id: `${id}-kept` });
    this.problem = h("div", { class: "mcp-problem", id: `${id}-problem` });
    this.el = h(
      "div",
      { class: "mcp-whole", hidden: true },
      h("label", { class: "mcp-name", for: id }, "Arguments as JSON"),
      this.control,
      this.problem,
      this.kept,
    );
    this.turn = button("Edit as JSON", () => (this.isOpen ? this.leave() : this.enter()));
  }

  /** What goes along with the marks of the form. */
  get sent() {
    return this.isOpen ? { json: this.control.value } : {};
  }

  enter() {
    const { form } = this.pane;
    if (!form) return;
    const unready = form.unready();
    if (unready.length) this.pane.complain(unready);
    else this.pane.send({ kind: "as_text", mark: form.mark(true) });
  }

  leave() {
    if (this.control.value === this.first) this.close();
    else this.pane.send({ kind: "as_form", mark: this.pane.form.mark(), ...this.sent });
  }

  /** Show a text; `first` is the one that says just what the form holds. */
  open(text, kept = [], first = null) {
    this.first = first;
    this.control.value = text;
    const names = kept.join(", ");
    this.kept.textContent = names && `Not shown here, and sent as the form holds it: ${names}.`;
    this.turned(true);
    this.grow();
  }

  close() {
    this.turned(false);
    this.turn.focus(); // it has never left, but for a problem
  }

  turned(isOpen) {
    this.isOpen = isOpen;
    this.el.hidden = !isOpen;
    this.pane.place.hidden = isOpen;
    this.turn.textContent = isOpen ? "Back to the form" : "Edit as JSON";
    this.show([]);
    this.pane.renewed();
  }

  /** Take the mark of the text over into the form; its secrets are there already. */
  fill(mark) {
    const { form } = this.pane;
    form.fill(unhidden(mark, form.secrets()));
    this.close();
  }

  grow() {
    const lines = this.control.value.split("\n").length;
    this.control.rows = Math.min(Math.max(lines + 1, 6), 24);
  }

  show(problems) {
    this.problem.replaceChildren(...problems.map((one) => h("div", {}, one.message)));
    if (problems.length) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
    return problems.map((one) => ({ ...one, place: { focus: () => this.focus(one.at) } }));
  }

  focus(at) {
    this.control.focus();
    if (at !== undefined) this.control.setSelectionRange(at, at);
  }
}

/** Return a mark with the secrets that it leaves to the form. */
function unhidden(mark, secrets) {
  if (!mark) return mark;
  const inside = (one) => unhidden(one, secrets);
  if (mark.hidden) return secrets.get(mark.at);
  if (mark.members) return { members: mark.members.map(([name, one]) => [name, inside(one)]) };
  if (mark.rows) return { rows: mark.rows.map(inside) };
  return mark.mark ? { ...mark, mark: inside(mark.mark) } : mark;
}
