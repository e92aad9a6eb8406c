// The prompt of a sign-in: in a cell, below a call, below a row of the table of servers.

/** Where a sign-in is shown, and how it ended.
 *
 * `send` takes the messages that `signin.take` reads; `after` makes what stands behind the
 * sentence once somebody is signed in.
 */
class SignInPlace {
  constructor(send, after = () => null) {
    Object.assign(this, { send, after, turn: 0, prompt: null });
    this.el = h("div", { "aria-live": "polite" });
  }

  /** Draw what `signin.drawn` or `Signing.drawn` gives, if it is another thing to see. */
  show(drawn) {
    if (!drawn || drawn.said !== undefined) {
      this.stop();
      this.turn = 0;
      const said = drawn && h("div", { class: "mcp-line" }, drawn.said, drawn.done ? this.after() : null);
      this.el.replaceChildren(...(said ? [said] : []));
    } else if (drawn.turn && drawn.turn !== this.turn) {
      this.stop();
      this.turn = drawn.turn;
      this.prompt = makePrompt(drawn, this.send);
      this.el.replaceChildren(this.prompt.el);
    }
    if (drawn?.problem) this.complain(drawn.problem);
  }

  /** Say why something could not be taken. */
  complain(problem) {
    this.prompt?.show(problem);
  }

  /** Stop its clock, and let its link lead nowhere. */
  stop() {
    this.prompt?.stop();
    this.prompt = null;
  }
}

const clock = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

function makePrompt(drawn, send) {
  const problem = h("p", { class: "mcp-problem", role: "alert" });
  const left = h("span", { class: "mcp-time" });
  const end = Date.now() + drawn.seconds * 1000;
  const tick = () => {
    left.textContent = clock(Math.max(0, Math.round((end - Date.now()) / 1000)));
  };
  tick();
  const timer = setInterval(tick, 1000);
  const say = (message) => {
    problem.textContent = message;
  };
  const draw = drawn.way === "register" ? registerBy : signInBy;
  const { lines, verb, use } = draw(drawn, left, send, say);
  const press = () => {
    say("");
    use();
  };
  const el = h(
    "section",
    { class: "mcp-signin", "aria-label": `Sign in to ${drawn.server}` },
    ...lines,
    drawn.receiver ? h("p", {}, "The answer goes to ", h("b", {}, drawn.receiver), ".") : null,
    h("p", {}, button(verb, press), " ", button("Cancel", () => send({ kind: "cancel" }))),
    problem,
  );
  el.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.tagName === "INPUT") press();
  });
  const stop = () => {
    clearInterval(timer);
    // Nobody listens for what comes back.
    el.querySelectorAll("a[href]").forEach((link) => link.removeAttribute("href"));
  };
  return { el, show: say, stop };
}

/** The link, and a box for the address of the page that cannot be opened. */
function signInBy(drawn, left, send) {
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
  const box = entry({ type: "password", placeholder: `${drawn.redirect}?…` });
  const scopes = drawn.scopes.length ? drawn.scopes.join(", ") : "nothing in particular";
  const about = [
    h("p", {}, h("b", {}, drawn.server), ` (${drawn.target}) wants you to sign in.`),
    h("p", {}, `It asks for: ${scopes}`),
  ];
  const first = h("p", {}, drawn.remote ? "1. " : "", link, " · ", left, " left");
  const next = drawn.remote
    ? "2. The page after it will likely not open, because your browser is on another "
      + "machine than this kernel. Copy its whole address out of the browser's address "
      + "bar, and paste it here:"
    : "If the page after it cannot be opened, paste its address:";
  const use = () => {
    if (!box.value.trim()) return;
    send({ kind: "paste", text: box.value });
    box.value = "";
  };
  const order = drawn.remote ? [...about, first] : [about[0], first, about[1]];
  return { lines: [...order, ...labelled(next, box)], verb: "Use this address", use };
}

/** What to register by hand, and boxes for the name and password that it gets. */
function registerBy(drawn, left, send, say) {
  const name = entry({ type: "text" });
  const secret = entry({ type: "password" });
  name.value = drawn.known;
  const use = () => {
    if (!name.value.trim()) {
      say("A client id is wanted.");
      name.focus();
      return;
    }
    send({ kind: "client", id: name.value, secret: secret.value });
    secret.value = "";
  };
  const wants = ` (${drawn.target}) wants you to sign in at `;
  const lines = [
    h("p", {}, h("b", {}, drawn.server), wants, h("b", {}, drawn.host), `, which ${drawn.why}.`),
    h(
      "p",
      {},
      "Register a client there by hand (a public or native one) with this redirect address: ",
      h("code", {}, drawn.redirect),
      " · ",
      left,
      " left",
    ),
    ...labelled("Its client id (kept with the tokens, for this server alone):", name),
    ...labelled(
      "Its secret, if it has one (held until this kernel ends; oauth.client_secret keeps it):",
      secret,
    ),
  ];
  return { lines, verb: "Use this client", use };
}

function entry(attributes) {
  return h("input", {
    id: newId(),
    autocomplete: "off",
    spellcheck: "false",
    style: "width: 100%; max-width: 36em; box-sizing: border-box",
    ...attributes,
  });
}

const labelled = (text, box) => [
  h("p", {}, h("label", { for: box.id }, text)),
  h("p", {}, box),
];
