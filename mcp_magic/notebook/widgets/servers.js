// The table of known servers, with buttons that connect and close.

const SERVER_COLUMNS = [
  ["name", "server"],
  ["state", "state"],
  ["transport", "transport"],
  ["origin", "origin"],
  ["tools", "tools"],
];
const ACTIONS = { connect: "Connect", close: "Close", approve: "Approve …" };

function render({ model, el }) {
  const body = h("tbody");
  const said = h("div", { class: "mcp-status", role: "status" });
  const heads = [...SERVER_COLUMNS, ["actions", "actions"]].map(([key, title]) =>
    h("th", { scope: "col", class: `mcp-${key}` }, title),
  );
  const table = h(
    "table",
    { class: "mcp-servers", "aria-label": "Known MCP servers" },
    h("thead", {}, h("tr", {}, ...heads)),
    body,
  );
  const consent = h("div", { class: "mcp-ask", role: "group", "aria-label": "Approval", hidden: true });
  const refresh = button("Refresh", () => send({ kind: "refresh" }));
  const root = h("div", { class: "mcp-w" }, table, consent, h("div", { class: "mcp-line" }, refresh, said));
  const rows = [];

  /** Fill a row; its button stays the same element, so that it keeps the focus. */
  function fill(at, row) {
    rows[at] ??= serverRow((message) => send({ ...message, server: at }));
    if (!rows[at].el.isConnected) body.append(rows[at].el, rows[at].below);
    rows[at].update(row);
  }

  const draw = () => model.get("rows").forEach((row, at) => fill(at, row));
  const hear = (message) => {
    if (message.kind === "said") said.textContent = message.text;
    if (message.kind === "consent") ask(message);
    if (message.kind === "sign_in") rows[message.server]?.signIn(message.drawn);
    if (message.kind === "unfit") rows[message.server]?.entry.complain(message.text);
  };

  /** Show what a server would do before anybody agrees to it. */
  function ask({ server, name, text }) {
    const done = () => {
      consent.hidden = true;
      rows[server].focus();
    };
    const no = button("Do not approve", done);
    const yes = button(`Approve ${name}`, () => {
      send({ kind: "agree", server });
      done();
    });
    consent.replaceChildren(h("pre", {}, text), h("div", { class: "mcp-line" }, no, yes));
    consent.hidden = false;
    no.focus();
  }

  model.on("change:rows", draw);
  draw();
  const over = () => rows.forEach((row) => row.entry.stop());
  const answers = ({ kind }) => kind !== "ready";
  const { send, leave } = attend({ model, el }, root, hear, { over, answers });
  return () => {
    model.off("change:rows", draw);
    over();
    leave();
  };
}

/** A row of the table, and one below it for a sign-in. */
function serverRow(send) {
  const cells = SERVER_COLUMNS.map(([key]) =>
    key === "name" ? h("th", { scope: "row" }) : h("td", { class: `mcp-${key}` }),
  );
  const error = h("div", { class: "mcp-error", hidden: true });
  let action = null;
  const press = button("", () => action && send({ kind: action }));
  const entry = new SignInPlace((answer) => send({ kind: "reply", answer }));
  const below = h("tr", { hidden: true }, h("td", { colspan: cells.length + 1 }, entry.el));
  const el = h("tr", {}, ...cells, h("td", {}, press));
  return {
    el,
    below,
    entry,
    focus: () => press.focus(),
    signIn(drawn) {
      const held = entry.el.contains(document.activeElement);
      entry.show(drawn);
      below.hidden = !drawn;
      if (held && !entry.el.contains(document.activeElement)) press.focus();
    },
    update(row) {
      SERVER_COLUMNS.forEach(([key], place) => (cells[place].textContent = row[key] ?? ""));
      error.textContent = row.error ?? "";
      error.hidden = !row.error;
      cells[1].append(error);
      action = row.action ?? null;
      // Disabled it would lose the focus; it does nothing while there is no action.
      press.setAttribute("aria-disabled", String(!action));
      if (action) press.textContent = ACTIONS[action];
      press.setAttribute("aria-label", `${press.textContent} ${row.name}`);
      press.hidden = row.state === "removed";
    },
  };
}

export default { render };
