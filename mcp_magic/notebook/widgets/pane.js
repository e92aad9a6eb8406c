// The tool that is open: what it says of itself, its form, its buttons, its calls.

const SETTLED = 300; // milliseconds without typing before a draft is sent

class ToolPane {
  constructor(view, at, row) {
    Object.assign(this, { view, at, row, form: null, code: null, strict: false });
    this.drafts = 0; // sent, and not answered yet
    this.label = `${row.server}.${row.name}`;
    this.said = h("div", { class: "mcp-status", role: "status" });
    this.problems = h("div", { class: "mcp-problems", role: "alert" });
    this.notice = h("div", { class: "mcp-warning", role: "status", tabindex: "-1", hidden: true });
    this.place = h("div", {}, h("p", { class: "mcp-hint" }, "…"));
    this.whole = new Whole(this);
    this.ask = h("div", { class: "mcp-ask", role: "group", "aria-label": "Are you sure?", hidden: true });
    this.runButton = button("Run", once(() => this.run()), {
      class: "mcp-run",
      title: "Ctrl+Enter",
      "aria-label": `Run ${this.label}`,
    });
    this.shownCode = h("pre", { class: "mcp-code-text", tabindex: "0", "aria-label": "This call as code", hidden: true });
    this.calls = h("div");
    this.buttons = h(
      "div",
      { class: "mcp-line" },
      this.runButton,
      button("Copy as %mcp", () => this.copy("line")),
      button("Copy as Python", () => this.copy("python")),
      this.whole.turn,
    );
    this.el = h(
      "div",
      {
        onkeydown: (event) => this.key(event),
        onfocusout: () => setTimeout(() => this.review()), // what has the focus is known then
        onpointerdown: () => this.press(),
      },
      this.head(), this.notice, this.place, this.whole.el, this.problems, this.buttons, this.ask, this.said, this.shownCode, this.calls,
    );
    for (const call of view.callsOf(at)) this.addCall(call);
    this.send({ kind: "open" });
  }

  /** Send a message that the kernel answers, and say so if it does not. */
  send(message) {
    this.view.send({ ...message, tool: this.at, edition: this.edition });
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.say(SILENT), PATIENCE);
  }

  head() {
    const { row } = this;
    const name = h("code", {}, this.label);
    const copyName = button("Copy name", async () =>
      this.say((await copyText(row.name, this.el)) ? "Name copied." : row.name),
    );
    const description = row.description
      ? h("div", { class: "mcp-description", tabindex: "0", role: "group", "aria-label": "Description" }, row.description)
      : null;
    return h(
      "div",
      {},
      h("div", { class: "mcp-head" }, h("strong", {}, row.title || row.means || row.name), ...(row.marks ?? []).map(tag)),
      h("div", { class: "mcp-head" }, name, row.means ? h("span", { class: "mcp-means" }, row.means) : null, copyName),
      row.problem ? h("div", { class: "mcp-warning" }, `${row.problem} It can be called all the same.`) : null,
      description,
    );
  }

  receive(message) {
    clearTimeout(this.waiting);
    if (this.said.textContent === SILENT) this.say("");
    switch (message.kind) {
      case "form":
        return this.drawForm(message);
      case "checked":
        return this.checked(message);
      case "problems":
        return this.complain(message.problems);
      case "confirm":
        return this.confirm();
      case "whole":
        this.whole.open(message.text, message.kept, message.text);
        return this.whole.focus(0);
      case "fill":
        return this.whole.fill(message.mark);
      case "unsent":
        return this.unsent();
      case "started":
        this.say("");
    }
  }

  drawForm({ sheet, draft, changed, edition }) {
    const secrets = this.form?.secrets() ?? new Map();
    const hadFocus = this.place.contains(document.activeElement);
    const text = draft?.json;
    const mark = text === undefined ? draft : null;
    this.form = makeForm(sheet, { mark, changed: () => this.changed() });
    this.edition = edition;
    if (changed) this.form.restore(secrets);
    const warnings = (sheet.warnings ?? []).map((one) => h("div", { class: "mcp-warning" }, one));
    this.place.replaceChildren(...warnings, this.form.el);
    if (text !== undefined) this.whole.open(text);
    if (this.wantsFocus || hadFocus) this.focus();
    this.notice.textContent = changed ?? "";
    this.notice.hidden = !changed;
    if (changed) {
      this.found = null;
      this.drafts = 0; // those of the form before are not answered
      this.problems.replaceChildren();
      this.ask.hidden = true;
    }
    if (draft) this.changed();
  }

  /** Run was pressed for another form: say that beside this one, and go there. */
  unsent() {
    this.notice.textContent += " Nothing was sent: look, and press Run again.";
    this.notice.hidden = false;
    if (this.el.contains(document.activeElement)) this.notice.focus();
  }

  focus() {
    this.wantsFocus = !this.form;
    if (!this.form) return;
    if (this.whole.isOpen) return this.whole.focus();
    const first = this.form.el.querySelector("input,textarea,select");
    (first ?? this.runButton).focus();
  }

  changed() {
    this.code = null;
    this.found = null; // that was wrong with what stood here before
    this.ask.hidden = true;
    this.shownCode.hidden = true;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.sendDraft(), SETTLED);
  }

  sendDraft() {
    clearTimeout(this.settling);
    this.settling = null;
    this.drafts += 1;
    this.send({ kind: "draft", mark: this.form.mark(true), ...this.whole.sent });
  }

  checked({ problems, line, python }) {
    this.drafts -= 1;
    if (this.drafts > 0 || this.settling) return; // it was typed on since
    this.found = problems;
    this.code = problems.length ? null : { line, python };
    if (this.wantsCode) {
      const way = this.wantsCode;
      this.wantsCode = null;
      if (this.code) return this.copy(way);
      return this.complain(problems);
    }
    this.review();
  }

  /** Nothing moves while a button is held: the press would miss it. */
  press() {
    const over = new AbortController();
    const release = () => {
      over.abort();
      setTimeout(() => {
        this.isPressed = false;
        this.review();
      });
    };
    this.isPressed = true;
    for (const end of ["pointerup", "pointercancel"]) {
      document.addEventListener(end, release, { signal: over.signal });
    }
  }

  /** The form is shown another way: what was wrong is looked for anew. */
  renewed() {
    this.strict = false;
    this.problems.replaceChildren();
    this.form.show([]);
    this.changed();
  }

  /** What only the browser knows to be wrong. */
  unready() {
    return this.whole.isOpen ? [] : this.form.unready();
  }

  /** Show problems at their places, and return these with them. */
  placed(problems) {
    return (this.whole.isOpen ? this.whole : this.form).show(problems);
  }

  /** Show what is wrong where something was entered and is left. */
  review() {
    if (!this.form || !this.found || this.isPressed) return;
    if (!this.found.length) this.problems.replaceChildren();
    if (this.whole.isOpen) {
      const isEdited = document.activeElement === this.whole.control;
      this.whole.show(this.strict || !isEdited ? this.found : []);
      return;
    }
    const seen = this.found.filter(({ pointer }) => {
      const place = this.form.at(pointer);
      const isEdited = place.el.contains(document.activeElement);
      const isBlank = place.state === "absent" || (place.complex && !place.inside().length);
      return this.strict || !(isBlank || isEdited);
    });
    this.form.show(seen);
  }

  complain(problems) {
    this.strict = true;
    this.found = problems;
    const shown = this.placed(problems);
    const count = shown.length === 1 ? "1 thing to fix:" : `${shown.length} things to fix:`;
    const links = shown.map(({ message, place }) =>
      h("li", {}, button(message, () => place.focus())),
    );
    this.problems.replaceChildren(h("div", {}, count), h("ul", {}, ...links));
    shown[0].place.focus();
  }

  run(confirmed = false) {
    if (!this.form) return;
    const unready = this.unready();
    if (unready.length) return this.complain(unready);
    this.problems.replaceChildren();
    this.notice.hidden = true;
    this.ask.hidden = true;
    this.sendDraft();
    this.send({ kind: "run", mark: this.form.mark(), ...this.whole.sent, confirmed });
  }

  confirm() {
    const words = `The server declares that ${this.row.name} may destroy something.`;
    const no = button("Do not run", () => {
      this.ask.hidden = true;
      this.runButton.focus();
    });
    const sure = once(() => {
      this.runButton.focus();
      this.run(true);
    });
    const yes = button(`Run ${this.row.name} on ${this.row.server}`, sure);
    this.ask.replaceChildren(h("div", {}, words), h("div", { class: "mcp-line" }, no, yes));
    this.ask.hidden = false;
    no.focus();
  }

  async copy(way) {
    if (!this.form) return;
    if (!this.code) {
      const unready = this.unready();
      if (unready.length) return this.complain(unready);
      this.wantsCode = way;
      return this.sendDraft();
    }
    const text = this.code[way];
    this.shownCode.textContent = text;
    this.shownCode.hidden = false;
    if (await copyText(text, this.el)) return this.say("Copied.");
    getSelection().selectAllChildren(this.shownCode);
    this.say("Press Ctrl+C to copy what is selected.");
  }

  key(event) {
    if (event.key !== "Enter" || event.defaultPrevented) return;
    const isRun = event.ctrlKey || event.metaKey;
    const isHeld = event.repeat && (isRun || event.target === this.runButton);
    if (isRun || isHeld) event.preventDefault();
    if (isRun && !isHeld) this.run();
  }

  addCall(call) {
    this.calls.prepend(call.el);
  }

  fail(text) {
    clearTimeout(this.waiting);
    this.drafts = 0;
    this.say(text);
  }

  say(text) {
    this.said.textContent = text;
  }

  dispose() {
    clearTimeout(this.settling);
    clearTimeout(this.waiting);
  }
}
