// The list of tools beside the one that is open: its form, its calls.
//
// Messages go to `Desk` (desk.py) and come back to all views; those meant for one view
// name it.

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.dispose();
}

class View {
  constructor(model, el) {
    this.id = newId();
    this.rows = model.get("rows");
    this.tools = new Map(); // by place in the list: the panes that were opened
    this.calls = new Map(); // by number
    this.status = h("div", { class: "mcp-status", role: "status" });
    this.busy = h("div");
    this.news = h("div", { role: "status" });
    this.pane = h("section", { class: "mcp-pane", "aria-label": "Tool" }, this.welcome());
    this.list = new ToolOptions(this.rows, this.id, {
      open: (at, byKey) => this.open(at, byKey),
      say: (text) => (this.status.textContent = text),
    });
    this.el = h(
      "div",
      { class: "mcp-w" },
      ...model.get("notes").map((note) => h("div", { class: "mcp-warning" }, note)),
      this.news,
      h("div", { class: "mcp-grid" }, h("div", { class: "mcp-side" }, this.list.el, this.status), this.pane),
      this.busy,
    );
    this.list.draw();
    const hear = (message) => this.receive(message);
    this.line = attend({ model, el }, this.el, hear, {
      over: () => this.end(),
      hello: { view: this.id },
      answers: () => false, // its panes speak of that, beside what waits
    });
  }

  welcome() {
    return h("p", { class: "mcp-hint" }, "Choose a tool to fill in its form and run it.");
  }

  send(message) {
    this.line.send({ ...message, view: this.id });
  }

  /** The kernel has ended: no call goes on, and no other tool is opened. */
  end() {
    this.ended = true;
    for (const row of this.calls.values()) row.lose();
    for (const pane of this.tools.values()) still(pane.el);
    this.drawBusy();
  }

  open(at, byKey) {
    if (this.ended && !this.tools.has(at)) return;
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
        return this.calls.get(message.call)?.unfit(message.problems);
      case "forgotten":
        return this.dropCall(message.call);
      case "news":
        return this.news.append(h("div", { class: "mcp-warning" }, message.text));
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
        again: () => this.runAgain(call.tool),
      });
      row.tool = call.tool;
      this.calls.set(call.call, row);
      this.tools.get(call.tool)?.addCall(row);
    }
    row.update(call);
    this.drawBusy();
  }

  /** Run a tool with what its form holds now; one not seen before is only opened. */
  runAgain(at) {
    this.open(at, true);
    const pane = this.tools.get(at);
    if (pane.form) pane.run();
  }

  dropCall(number) {
    const row = this.calls.get(number);
    if (!row) return;
    row.dispose();
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
    this.line.leave();
    for (const row of this.calls.values()) row.dispose();
    for (const pane of this.tools.values()) pane.dispose();
  }
}

export default { render };
