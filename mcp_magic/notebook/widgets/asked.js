// The question that a waiting cell asks; it is drawn when the kernel has sent it.

function render({ model, el }) {
  const place = h("div", { "aria-live": "polite" });
  let asked = null;
  const view = newId();

  const hear = (message) => {
    switch (message.kind) {
      case "question":
        if (asked) return;
        asked = makeQuestion(message.drawn, (answer) => send({ ...answer, view }));
        place.replaceChildren(asked.el);
        // As input() does: the cell waits for this person, and for nothing else.
        asked.focus();
        break;
      case "there?":
        send({ kind: "here" });
        break;
      case "problems":
        if (message.view === view) asked?.show(message.problems);
        break;
    }
  };
  const { send, leave } = attend({ model, el }, h("div", { class: "mcp-w" }, place), hear);
  return leave;
}

export default { render };
