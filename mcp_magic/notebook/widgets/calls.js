// One call: its state, progress and result, with a button that cancels it.

const STATES = {
  running: "running",
  ok: "done",
  "tool error": "tool error",
  failed: "failed",
  cancelled: "cancelled",
  lost: "ended with its kernel",
};

// What pages of ours are made of (display/html.py). They are escaped there already;
// nothing else is taken over here, whatever they hold.
const TAGS = new Set(
  ("A AUDIO B BR CODE DETAILS DIV EM I IMG LI OL P PRE SMALL SPAN STRONG SUMMARY" +
    " TABLE TBODY TD TFOOT TH THEAD TR UL").split(" "),
);
const ATTRIBUTES = new Set("alt class colspan controls open rowspan scope title".split(" "));

/** Return a page of ours as nodes; what could run or load something is left out. */
function adopt(page) {
  const parsed = new DOMParser().parseFromString(page, "text/html");
  return [...parsed.body.childNodes].map(adoptNode);
}

function adoptNode(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE) return document.createTextNode("");
  const made = document.createElement(TAGS.has(node.tagName) ? node.tagName : "span");
  for (const { name, value } of node.attributes) {
    if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
    if (name === "src" && /^data:(image|audio)\//.test(value)) made.src = value;
    if (name === "style" && !/url|expression|@/i.test(value)) made.style.cssText = value;
    if (name === "href" && /^https?:\/\//.test(value)) {
      Object.assign(made, { href: value, target: "_blank", rel: "noopener noreferrer" });
    }
  }
  made.append(...[...node.childNodes].map(adoptNode));
  return made;
}

/** The row of a call; `update` takes what `Run.state` says. */
class CallRow {
  constructor(number, title, { stop, forget, reply, again }) {
    this.reply = reply;
    this.started = performance.now();
    this.word = h("strong", { role: "status" });
    this.time = h("span", { class: "mcp-time" });
    this.cancel = button("Cancel", () => {
      this.cancel.setAttribute("aria-disabled", "true"); // disabled it would lose the focus
      this.cancel.textContent = "Cancelling …";
      stop();
    });
    this.forget = button("Remove", forget, { hidden: true });
    this.code = h("code", { class: "mcp-ran" });
    this.bar = h("progress", { "aria-label": `Progress of call ${number}` });
    this.words = h("span", { class: "mcp-hint" });
    this.track = h("div", { class: "mcp-line" }, this.bar, this.words);
    this.notes = h("div", { class: "mcp-notes" });
    this.question = h("div", { "aria-live": "polite" });
    this.entry = new SignInPlace(reply, () =>
      button("Run again", again, { "aria-label": "Run again as the form is now" }),
    );
    this.result = h("div", { class: "mcp-result", tabindex: "0", role: "group", "aria-label": "Result" });
    const head = h("div", { class: "mcp-head" }, this.word, this.time, this.cancel, this.forget);
    this.el = h(
      "section",
      { class: "mcp-call", "aria-label": `Call ${number} of ${title}` },
      head, this.code, this.track, this.notes, this.question, this.result, this.entry.el,
    );
    this.tick();
    this.timer = setInterval(() => this.tick(), 200);
  }

  tick() {
    const seconds = (performance.now() - this.started) / 1000;
    this.time.textContent = `${seconds.toFixed(1)} s`;
  }

  get running() {
    return this.state === "running";
  }

  /** Take a new state; whoever was in this row stays in it. */
  update(call) {
    const held = this.el.contains(document.activeElement);
    const { asked } = this;
    this.draw(call);
    const { activeElement } = document;
    const stays = this.el.contains(activeElement) && activeElement.offsetParent;
    if (!held || (stays && (!this.asked || this.asked === asked))) return;
    const ended = this.result.hidden ? this.forget : this.result;
    (this.asked ?? (this.running ? this.cancel : ended)).focus();
  }

  draw(call) {
    // A view that was opened later counts from the same beginning.
    if (!this.state) this.started -= call.passed * 1000;
    this.state = call.state;
    this.el.dataset.state = call.state;
    this.word.textContent = STATES[call.state] ?? call.state;
    this.code.textContent = call.code;
    this.bar.removeAttribute("value");
    if (typeof call.share === "number") this.bar.value = call.share;
    const words = call.words ?? "no progress reported";
    this.words.textContent = call.question ? "waits for your answer" : words;
    this.notes.replaceChildren(...call.notes.map((note) => h("div", {}, note)));
    this.track.hidden = !this.running;
    this.cancel.hidden = !this.running;
    this.forget.hidden = this.running;
    this.result.hidden = this.running;
    this.ask(call.question);
    if (!this.running) this.end(call);
    if (call.sign_in) this.entry.show(call.sign_in);
  }

  /** Draw a question once; its form stays as it is while the call goes on. */
  ask(drawn) {
    if (drawn?.number === this.number) return;
    this.number = drawn?.number;
    this.asked = drawn ? makeQuestion(drawn, this.reply) : null;
    this.question.replaceChildren(...(this.asked ? [this.asked.el] : []));
  }

  /** Say what is wrong with what was sent from this view. */
  unfit(problems) {
    if (this.asked) this.asked.show(problems);
    else this.entry.complain(problems[0].message);
  }

  end(call) {
    clearInterval(this.timer);
    this.time.textContent = call.seconds;
    const parts = [];
    if (call.error) parts.push(h("div", { class: "mcp-error" }, call.error));
    for (const warning of call.warnings ?? []) {
      parts.push(h("div", { class: "mcp-warning" }, `Warning: ${warning}`));
    }
    if (call.html) parts.push(h("div", {}, ...adopt(call.html)));
    else if (call.text) parts.push(h("pre", {}, call.text));
    this.result.replaceChildren(...parts);
    this.result.hidden = parts.length === 0;
  }

  /** Nothing more will be heard of a call that was running. */
  lose() {
    this.dispose();
    if (!this.running) return;
    this.state = this.el.dataset.state = "lost";
    this.word.textContent = STATES.lost;
    this.track.hidden = this.cancel.hidden = true;
  }

  dispose() {
    clearInterval(this.timer);
    this.entry.stop();
  }
}
