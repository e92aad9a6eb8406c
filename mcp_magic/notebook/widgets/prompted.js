// The prompt of a sign-in below a cell; it is drawn when the kernel has sent it.

function render({ model, el }) {
  const place = new SignInPlace((message) => send(message));
  const hear = (message) => {
    if (message.kind === "prompt") place.show(message);
    if (message.kind === "problem") place.complain(message.message);
  };
  const root = h("div", { class: "mcp-w" }, place.el);
  const over = () => place.stop();
  const { send, leave } = attend({ model, el }, root, hear, { over });
  return () => {
    over();
    leave();
  };
}

export default { render };
