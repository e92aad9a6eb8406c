// The prompt of a sign-in; it is drawn when the kernel has sent it.

const clock = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

function makePrompt(drawn, send) {
  const problem = h("p", { class: "mcp-problem", role: "alert" });
  const left = h("span", { class: "mcp-time" });
  const id = newId();
  const box = h("input", {
    id,
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: `${drawn.redirect}?…`,
    style: "width: 100%; max-width: 36em; box-sizing: border-box",
  });
  const use = () => {
    if (!box.value.trim()) return;
    send({ kind: "paste", text: box.value });
    box.value = "";
    problem.textContent = "";
  };
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") use();
  });
  const link = h(
    "a",
    {
      href: drawn.url,
      target: "_blank",
      rel: "noopener noreferrer",
      style: "text-decoration: underline; font-weight: 600; "
        + "color: var(--jp-content-link-color, #0b57d0)",
    },
    `Sign in at ${drawn.host}`,
  );
  const scopes = drawn.scopes.length ? drawn.scopes.join(", ") : "nothing in particular";
  const end = Date.now() + drawn.seconds * 1000;
  const tick = () => {
    left.textContent = clock(Math.max(0, Math.round((end - Date.now()) / 1000)));
  };
  tick();
  const timer = setInterval(tick, 1000);
  const el = h(
    "section",
    { class: "mcp-signin", "aria-label": `Sign in to ${drawn.server}` },
    h("p", {}, h("b", {}, drawn.server), ` (${drawn.target}) wants you to sign in.`),
    h("p", {}, link, " · ", left, " left"),
    h("p", {}, `It asks for: ${scopes}`),
    h(
      "p",
      {},
      h("label", { for: id }, "If the page after it cannot be opened, paste its address:"),
    ),
    h("p", {}, box),
    h(
      "p",
      {},
      button("Use this address", use),
      " ",
      button("Cancel", () => send({ kind: "cancel" })),
    ),
    problem,
  );
  return {
    el,
    show: (message) => {
      problem.textContent = message;
    },
    stop: () => clearInterval(timer),
  };
}

function render({ model, el }) {
  const root = h("div", { class: "mcp-w" });
  let prompt = null;
  const hear = (message) => {
    switch (message.kind) {
      case "prompt":
        if (prompt || !message.url) return;
        prompt = makePrompt(message, (answer) => model.send(answer));
        root.replaceChildren(prompt.el);
        break;
      case "problem":
        prompt?.show(message.message);
        break;
    }
  };
  const leave = attend({ model, el }, root, hear);
  return () => {
    prompt?.stop();
    leave();
  };
}

export default { render };
