// Draws a server's question (`Inquiry.drawn`), in a cell that waits or below a call.
//
//   const asked = makeQuestion(drawn, send);
//   asked.el             the question with its buttons
//   asked.show(list)     show problems, and go to the first
//   asked.focus()        go to where the answer begins
//
// `send` takes the messages that `Inquiry.read` reads.

function makeQuestion(drawn, send) {
  const WAYS = { form: formAnswer, url: urlAnswer, sampling: textAnswer };
  const wrong = h("div", { class: "mcp-problems", role: "alert" });
  const way = WAYS[drawn.way](drawn, () => answer());
  const title = h("strong", {}, `${drawn.who} asks`);
  const el = h(
    "section",
    { role: "group", "aria-label": `Question from ${drawn.who}` },
    h("div", { class: "mcp-head" }, title),
    saying(drawn.message),
    way.el,
    wrong,
    h(
      "div",
      { class: "mcp-line" },
      button(way.verb, once(answer), { class: "mcp-go" }),
      button("Decline", once(() => send({ kind: "decline" }))),
      button("Cancel", once(() => send({ kind: "cancel" }))),
    ),
  );
  el.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault(); // a form around it is not sent by this key
    if (!event.repeat) answer();
  });

  function answer() {
    const problems = way.unready();
    if (problems.length) show(problems);
    else send({ kind: "answer", ...way.content() });
  }

  function show(problems) {
    const placed = way.show(problems);
    const count = problems.length === 1 ? "1 thing" : `${problems.length} things`;
    wrong.replaceChildren(
      h("div", {}, `${count} to put right:`),
      ...problems.map((one) => h("div", {}, one.message)),
    );
    if (placed.length) placed[0].focus();
  }

  return { el, show, focus: () => way.focus() };
}

/** Show what is said; where it has to be scrolled, keys can do so. */
function saying(message) {
  const long = message.length > 800 || message.split("\n").length > 12;
  const reached = { tabindex: "0", role: "group", "aria-label": "What is asked" };
  return h("div", { class: "mcp-said", ...(long ? reached : {}) }, message);
}

function formAnswer(drawn) {
  const form = makeForm(drawn.sheet, { mark: drawn.mark });
  return {
    el: form.el,
    verb: "Answer",
    content: () => ({ mark: form.mark() }),
    unready: () => form.unready(),
    show: (problems) => form.show(problems).map((one) => one.place),
    focus: () => form.focus(),
  };
}

function urlAnswer(drawn) {
  const link = h(
    "a",
    { href: drawn.url, target: "_blank", rel: "noopener noreferrer" },
    `Open ${drawn.host}`,
  );
  return {
    el: h(
      "div",
      {},
      h("div", { class: "mcp-line" }, link, h("span", {}, "in a new tab")),
      h("code", {}, drawn.url),
    ),
    verb: "I agree",
    content: () => ({}),
    unready: () => [],
    show: () => [],
    focus: () => link.focus(),
  };
}

function textAnswer() {
  const control = h("textarea", { rows: 4, "aria-label": "The model's answer" });
  const isEmpty = () => control.value.trim() === "";
  const empty = [{ pointer: "", message: "An empty answer cannot be sent." }];
  return {
    el: h("div", { class: "mcp-form" }, control),
    verb: "Send",
    content: () => ({ text: control.value }),
    unready: () => (isEmpty() ? empty : []),
    show: () => [control],
    focus: () => control.focus(),
  };
}
