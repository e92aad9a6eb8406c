// The question that a waiting cell asks; it is drawn when the kernel has sent it.

function render({ model, el }) {
  const root = h("div", { class: "mcp-w", "aria-live": "polite" });
  const unquiet = quiet(root);
  let asked = null;

  const hear = (message) => {
    switch (message.kind) {
      case "question":
        if (asked) return;
        asked = makeQuestion(message.drawn, (answer) => model.send(answer));
        root.replaceChildren(asked.el);
        // As input() does: the cell waits for this person, and for nothing else.
        asked.focus();
        break;
      case "problems":
        asked?.show(message.problems);
        break;
    }
  };
  model.on("msg:custom", hear);
  el.append(root);
  model.send({ kind: "ready" });
  return () => {
    unquiet();
    model.off("msg:custom", hear);
  };
}

export default { render };
