// The question that a waiting cell asks; it is drawn when the kernel has sent it.

function render({ model, el }) {
  const root = h("div", { class: "mcp-w", "aria-live": "polite" });
  let asked = null;
  const view = newId();

  const hear = (message) => {
    switch (message.kind) {
      case "question":
        if (asked) return;
        asked = makeQuestion(message.drawn, (answer) => model.send({ ...answer, view }));
        root.replaceChildren(asked.el);
        // As input() does: the cell waits for this person, and for nothing else.
        asked.focus();
        break;
      case "problems":
        if (message.view === view) asked?.show(message.problems);
        break;
    }
  };
  return attend({ model, el }, root, hear);
}

export default { render };
