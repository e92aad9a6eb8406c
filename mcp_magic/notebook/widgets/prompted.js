// The prompt of a sign-in below a cell; it is drawn when the kernel has sent it.

function render({ model, el }) {
  const place = h("div");
  let prompt = null;
  let turn = 0;
  const hear = (message) => {
    switch (message.kind) {
      case "prompt":
        if (!message.turn || message.turn === turn) return;
        turn = message.turn;
        prompt?.stop();
        prompt = makePrompt(message, send);
        place.replaceChildren(prompt.el);
        break;
      case "problem":
        prompt?.show(message.message);
        break;
    }
  };
  const root = h("div", { class: "mcp-w" }, place);
  const over = () => prompt?.stop();
  const { send, leave } = attend({ model, el }, root, hear, { over });
  return () => {
    over();
    leave();
  };
}

export default { render };
