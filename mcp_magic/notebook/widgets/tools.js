// The list of tools beside the one that is open: its form, its calls.
//
// Messages go to `Desk` (desk.py) and come back to all views; those meant for one view
// name it.

const DRAWN = 200; // rows; beyond that, searching is faster than scrolling
const UNLISTED = new Set(["open world", "effects not stated"]); // shown once it is open
const SETTLED = 300; // milliseconds without typing before a draft is sent
const SILENT =
  "The kernel has not answered yet. If no cell is running, run the cell of this list again.";
const PATIENCE = 3000; // milliseconds before a silent kernel is spoken of

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.dispose();
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = newId();
    this.rows = model.get("rows");
    this.tools = new Map(); // by place in the list: the panes that were opened
    this.calls = new Map(); // by number
    this.status = h("div", { class: "mcp-status", role: "status" });
    this.busy = h("div", { class: "mcp-busy" });
    this.pane = h("section", { class: "mcp-pane", "aria-label": "Tool" }, this.welcome());
    this.list = new ToolOptions(this.rows, this.id, {
      open: (at, byKey) => this.open(at, byKey),
      say: (text) => (this.status.textContent = text),
    });
    this.el = h(
      "div",
      { class: "mcp-w" },
      ...model.get("notes").map((note) => h("div", { class: "mcp-warning" }, note)),
      h("div", { class: "mcp-grid" }, h("div", { class: "mcp-side" }, this.list.el, this.status), this.pane),
      this.busy,
    );
    this.hear = (message) => this.receive(message);
    model.on("msg:custom", this.hear);
    el.append(this.el);
    this.unquiet = quiet(this.el);
    this.list.draw();
    this.send({ kind: "ready" });
  }

  welcome() {
    return h("p", { class: "mcp-hint" }, "Choose a tool to fill in its form and run it.");
  }

  send(message) {
    this.model.send({ ...message, view: this.id });
  }

  open(at, byKey) {
    this.list.select(at);
    if (!this.tools.has(at)) this.tools.set(at, new ToolPane(this, at, this.rows[at]));
    const pane = this.tools.get(at);
    this.shown = pane;
    this.pane.setAttribute("aria-label", `Tool ${this.rows[at].name}`);
    this.pane.replaceChildren(pane.el);
    if (byKey) pane.focus();
    this.drawBusy();
  }

  receive(message) {
    if (message.view !== undefined && message.view !== this.id) return;
    switch (message.kind) {
      case "call":
        return this.updateCall(message);
      case "unfit":
        return this.calls.get(message.call)?.asked?.show(message.problems);
      case "forgotten":
        return this.dropCall(message.call);
      case "failed":
        return this.shown?.fail(message.text);
    }
    this.tools.get(message.tool)?.receive(message);
  }

  updateCall(call) {
    let row = this.calls.get(call.call);
    if (!row) {
      row = new CallRow(call.call, this.rows[call.tool].name, {
        stop: () => this.send({ kind: "stop", call: call.call }),
        forget: () => this.send({ kind: "forget", call: call.call }),
        reply: (answer) => this.send({ kind: "reply", call: call.call, answer }),
      });
      row.tool = call.tool;
      this.calls.set(call.call, row);
      this.tools.get(call.tool)?.addCall(row);
    }
    row.update(call);
    this.drawBusy();
  }

  dropCall(number) {
    const row = this.calls.get(number);
    if (!row) return;
    if (row.el.contains(document.activeElement)) this.shown?.runButton.focus();
    row.el.remove();
    this.calls.delete(number);
  }

  callsOf(at) {
    return [...this.calls.values()].filter((row) => row.tool === at);
  }

  /** Name the calls that run out of sight. */
  drawBusy() {
    const away = [...this.calls.values()].filter(
      (row) => row.running && this.shown?.at !== row.tool,
    );
    this.busy.replaceChildren(
      ...away.map((row) =>
        button(`${this.rows[row.tool].name} is running: show`, () => this.open(row.tool, true)),
      ),
    );
    this.list.mark(new Set([...this.calls.values()].filter((row) => row.running).map((row) => row.tool)));
  }

  dispose() {
    this.model.off("msg:custom", this.hear);
    this.unquiet();
    for (const row of this.calls.values()) row.dispose();
    for (const pane of this.tools.values()) pane.dispose();
  }
}

/** The search box and the listbox. */
class ToolOptions {
  constructor(rows, id, { open, say }) {
    Object.assign(this, { rows, id, open, say, shown: [], active: 0, running: new Set() });
    this.texts = rows.map((row) =>
      [row.name, row.means, row.title, row.description, row.server].join("\n").toLowerCase(),
    );
    this.search = h("input", {
      type: "search",
      class: "mcp-search",
      placeholder: "Search the tools",
      "aria-label": "Search the tools",
      "aria-controls": `${id}-list`,
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.draw(),
      onkeydown: (event) => this.searchKey(event),
    });
    this.list = h("div", {
      role: "listbox",
      id: `${id}-list`,
      class: "mcp-list",
      tabindex: "0",
      "aria-label": "Tools",
      onkeydown: (event) => this.listKey(event),
    });
    this.nothing = h("div", { class: "mcp-hint", hidden: true }, "No tool matches. ");
    this.nothing.append(button("Show all", () => this.clear()));
    this.el = h("div", {}, this.search, this.list, this.nothing);
  }

  clear() {
    this.search.value = "";
    this.draw();
    this.search.focus();
  }

  draw() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.rows
      .map((_, at) => at)
      .filter((at) => words.every((word) => this.texts[at].includes(word)));
    this.found = this.grouped(found);
    this.shown = this.found.slice(0, DRAWN);
    this.options = new Map();
    this.list.replaceChildren(...this.groups());
    this.list.hidden = !found.length;
    this.nothing.hidden = found.length > 0;
    const all = this.rows.length;
    const count = all === 1 ? "1 tool" : `${all} tools`;
    const more = found.length - this.shown.length;
    this.say(
      (words.length ? `${found.length} of ${count}` : count) +
        (more > 0 ? `; ${more} more than are shown: search` : ""),
    );
    this.move(0);
    if (this.selected !== undefined) this.select(this.selected);
    this.mark(this.running);
  }

  /** Keep the tools of a group together, groups where their first tool stands. */
  grouped(found) {
    const groups = new Map([["", []]]);
    for (const at of found) {
      const name = this.rows[at].group ?? "";
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(at);
    }
    return [...groups.values()].flat();
  }

  groups() {
    const made = [];
    let group = null;
    for (const at of this.shown) {
      const name = this.rows[at].group ?? "";
      if (name && group?.dataset.group !== name) {
        const label = h("div", { class: "mcp-group", role: "presentation" }, name);
        group = h("div", { role: "group", "aria-label": name, "data-group": name }, label);
        made.push(group);
      }
      const option = this.option(at);
      if (name) group.append(option);
      else made.push(option);
    }
    return made;
  }

  option(at) {
    const row = this.rows[at];
    const marks = (row.marks ?? []).filter((mark) => !UNLISTED.has(mark));
    const option = h(
      "div",
      {
        role: "option",
        id: `${this.id}-${at}`,
        class: "mcp-option",
        "aria-selected": "false",
        onclick: () => {
          this.move(this.shown.indexOf(at));
          this.open(at, false);
        },
      },
      h("code", {}, row.name),
      row.means ? h("span", { class: "mcp-means" }, row.means) : null,
      row.title ? h("span", { class: "mcp-title" }, row.title) : null,
      ...marks.map((mark) => tag(mark)),
      row.problem ? tag("has a problem") : null,
      h("span", { class: "mcp-tag mcp-running", hidden: true }, "running"),
    );
    this.options.set(at, option);
    return option;
  }

  move(to) {
    this.options.get(this.shown[this.active])?.classList.remove("mcp-active");
    this.active = Math.min(Math.max(to, 0), Math.max(this.shown.length - 1, 0));
    const option = this.options.get(this.shown[this.active]);
    if (!option) return this.list.removeAttribute("aria-activedescendant");
    option.classList.add("mcp-active");
    this.list.setAttribute("aria-activedescendant", option.id);
    const top = option.offsetTop - this.list.offsetTop;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    const below = top + option.offsetHeight - this.list.clientHeight;
    if (below > this.list.scrollTop) this.list.scrollTop = below;
  }

  select(at) {
    this.options.get(this.selected)?.setAttribute("aria-selected", "false");
    this.selected = at;
    this.options.get(at)?.setAttribute("aria-selected", "true");
  }

  mark(running) {
    this.running = running;
    for (const [at, option] of this.options) option.lastChild.hidden = !running.has(at);
  }

  searchKey(event) {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      if (this.shown.length) this.list.focus();
    } else if (event.key === "Escape" && this.search.value) {
      this.clear();
    } else {
      return;
    }
    event.preventDefault();
  }

  listKey(event) {
    const last = this.shown.length - 1;
    const ways = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + 8,
      PageUp: this.active - 8,
      Home: 0,
      End: last,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ways) this.move(ways[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.open(this.shown[this.active], true);
    else if (event.key === "Escape") this.search.focus();
    else {
      if (event.key.length === 1) this.search.focus(); // the letter is typed there
      return;
    }
    event.preventDefault();
  }
}

const tag = (text) => h("span", { class: "mcp-tag", "data-mark": text }, text);

/** One tool: what it says of itself, its form, its buttons, its calls. */
class ToolPane {
  constructor(view, at, row) {
    Object.assign(this, { view, at, row, form: null, code: null, strict: false });
    this.label = `${row.server}.${row.name}`;
    this.said = h("div", { class: "mcp-status", role: "status" });
    this.problems = h("div", { class: "mcp-problems", role: "alert" });
    this.place = h("div", {}, h("p", { class: "mcp-hint" }, "…"));
    this.ask = h("div", { class: "mcp-ask", role: "group", "aria-label": "Are you sure?", hidden: true });
    this.runButton = button("Run", () => this.run(), {
      class: "mcp-run",
      title: "Ctrl+Enter",
      "aria-label": `Run ${this.label}`,
    });
    this.shownCode = h("pre", { class: "mcp-code-text", tabindex: "0", "aria-label": "This call as code", hidden: true });
    this.calls = h("div", { class: "mcp-calls" });
    this.buttons = h(
      "div",
      { class: "mcp-line" },
      this.runButton,
      button("Copy as %mcp", () => this.copy("line")),
      button("Copy as Python", () => this.copy("python")),
    );
    this.el = h(
      "div",
      { onkeydown: (event) => this.key(event), onfocusout: () => this.review() },
      this.head(), this.place, this.problems, this.buttons, this.ask, this.said, this.shownCode, this.calls,
    );
    for (const call of view.callsOf(at)) this.addCall(call);
    this.send({ kind: "open" });
  }

  /** Send a message that the kernel answers, and say so if it does not. */
  send(message) {
    this.view.send({ ...message, tool: this.at });
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
      case "started":
        this.say("");
    }
  }

  drawForm({ sheet, draft }) {
    this.form = makeForm(sheet, { mark: draft, changed: () => this.changed() });
    const warnings = (sheet.warnings ?? []).map((one) => h("div", { class: "mcp-warning" }, one));
    this.place.replaceChildren(...warnings, this.form.el);
    if (this.wantsFocus) this.focus();
    if (draft) this.changed();
  }

  focus() {
    this.wantsFocus = !this.form;
    if (!this.form) return;
    const first = this.form.el.querySelector("input,textarea,select");
    (first ?? this.runButton).focus();
  }

  changed() {
    this.code = null;
    this.ask.hidden = true;
    this.shownCode.hidden = true;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.sendDraft(), SETTLED);
  }

  sendDraft() {
    clearTimeout(this.settling);
    this.send({ kind: "draft", mark: this.form.mark(true) });
  }

  checked({ problems, line, python }) {
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

  /** Show what is wrong where something was entered and is left. */
  review() {
    if (!this.form || !this.found) return;
    const seen = this.found.filter(({ pointer }) => {
      const place = this.form.at(pointer);
      const isEdited = place.el.contains(document.activeElement);
      return this.strict || (place.state !== "absent" && !isEdited);
    });
    this.form.show(seen);
    if (!this.found.length) this.problems.replaceChildren();
  }

  complain(problems) {
    this.strict = true;
    this.found = problems;
    const shown = this.form.show(problems);
    const count = shown.length === 1 ? "1 thing to fix:" : `${shown.length} things to fix:`;
    const links = shown.map(({ message, place }) =>
      h("li", {}, button(message, () => place.focus())),
    );
    this.problems.replaceChildren(h("div", {}, count), h("ul", {}, ...links));
    shown[0].place.focus();
  }

  run(confirmed = false) {
    if (!this.form) return;
    const unready = this.form.unready();
    if (unready.length) return this.complain(unready);
    this.problems.replaceChildren();
    this.ask.hidden = true;
    clearTimeout(this.settling);
    this.sendDraft();
    this.send({ kind: "run", mark: this.form.mark(), confirmed });
  }

  confirm() {
    const words = `The server declares that ${this.row.name} may destroy something.`;
    const no = button("Do not run", () => {
      this.ask.hidden = true;
      this.runButton.focus();
    });
    const yes = button(`Run ${this.row.name} on ${this.row.server}`, () => {
      this.runButton.focus();
      this.run(true);
    });
    this.ask.replaceChildren(h("div", {}, words), h("div", { class: "mcp-line" }, no, yes));
    this.ask.hidden = false;
    no.focus();
  }

  async copy(way) {
    if (!this.form) return;
    if (!this.code) {
      const unready = this.form.unready();
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
    const isRun = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!isRun || event.defaultPrevented) return;
    event.preventDefault();
    this.run();
  }

  addCall(call) {
    this.calls.prepend(call.el);
  }

  fail(text) {
    clearTimeout(this.waiting);
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

export default { render };
