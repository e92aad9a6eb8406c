// What every widget here needs: elements, identifiers, keys, the clipboard.
//
// The .js files of this folder are joined in order into one module (front.py). Text from
// a server is set as text and never as HTML.

const SHORTCUTS = "data-lm-suppress-shortcuts";
const FOCUSABLE = "input,select,textarea,button,a,summary,[tabindex]";

let ids = 0;

/** Return an identifier that no other view on the page has. */
function newId() {
  ids += 1;
  return `mcp-${Math.random().toString(36).slice(2, 8)}-${ids}`;
}

/** Make an element; children are nodes or texts, `on…` attributes are listeners. */
function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

function button(text, press, attributes = {}) {
  return h("button", { type: "button", onclick: press, ...attributes }, text);
}

/** Press once: the second click of a double click was not meant for what is there now. */
const once = (press) => (event) => {
  if (event.detail < 2) press();
};

const isSave = (event) =>
  (event.ctrlKey || event.metaKey) &&
  !event.shiftKey &&
  !event.altKey &&
  event.key.toLowerCase() === "s";

/** Keep the notebook's shortcuts from firing inside `root`; saving still works.
 *
 * Command-mode bindings match the focused element itself, so each one carries the
 * attribute; where they bubble, they are stopped at the root.
 * Returns what undoes it.
 */
function quiet(root) {
  const letSave = (event) => {
    const path = event.composedPath();
    if (!isSave(event) || !path.includes(root)) return;
    const marked = path.filter((node) => node.hasAttribute && node.hasAttribute(SHORTCUTS));
    for (const node of marked) node.removeAttribute(SHORTCUTS);
    setTimeout(() => marked.forEach((node) => node.setAttribute(SHORTCUTS, "true")));
  };
  addEventListener("keydown", letSave, true); // before Notebook, which listens at the document
  for (const kind of ["keydown", "keypress", "keyup"]) {
    root.addEventListener(kind, (event) => {
      if (!isSave(event)) event.stopPropagation();
    });
  }
  const mark = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    for (const one of [node, ...node.querySelectorAll(FOCUSABLE)]) {
      one.setAttribute(SHORTCUTS, "true");
    }
  };
  mark(root);
  const watching = new MutationObserver((changes) =>
    changes.forEach((change) => change.addedNodes.forEach(mark)),
  );
  watching.observe(root, { childList: true, subtree: true });
  return () => {
    watching.disconnect();
    removeEventListener("keydown", letSave, true);
  };
}

const PATIENCE = 3000; // milliseconds before a silent kernel is spoken of
const SILENT =
  "The kernel has not answered yet. If no cell is running, run the cell of this output again.";
const GONE = "Its kernel has ended, and nothing here works any more. Run the cell again.";

/** Show `root`, say `hello` to the kernel, and let `hear` take what it sends.
 *
 * Once the kernel has ended, nothing looks alive, and `over` is called. A kernel that is
 * silent about a message that it `answers` is spoken of. Returns `send`, and `leave`, which
 * undoes all of it.
 */
function attend(
  { model, el },
  root,
  hear,
  { over = () => {}, hello = {}, answers = ({ kind }) => kind === "ready" } = {},
) {
  const notice = h("div", { class: "mcp-warning", role: "status", tabindex: "-1", hidden: true });
  root.prepend(notice);
  const unquiet = quiet(root);
  const unfocus = homing(root);
  let ended = false;
  const say = (text) => {
    notice.textContent = text;
    notice.hidden = !text;
  };
  let waiting = null;
  const heard = (message) => {
    clearTimeout(waiting);
    if (!ended) say("");
    hear(message);
  };
  const end = () => {
    if (ended) return;
    ended = true;
    clearTimeout(waiting);
    say(GONE);
    if (root.contains(document.activeElement)) notice.focus();
    over();
    still(root);
  };
  const send = (message) => {
    if (ended) return;
    clearTimeout(waiting);
    if (answers(message)) waiting = setTimeout(() => say(SILENT), PATIENCE);
    try {
      model.send(message);
    } catch {
      end(); // the kernel took its end of the line with it
    }
  };
  model.on("msg:custom", heard);
  model.on("comm_live_update", end); // a kernel that is restarted
  el.append(root);
  if (hello) send({ kind: "ready", ...hello });
  const leave = () => {
    clearTimeout(waiting);
    unfocus();
    unquiet();
    model.off("msg:custom", heard);
    model.off("comm_live_update", end);
  };
  return { send, leave };
}

/** Give the focus back to the notebook's cell when `root` goes away with it.
 *
 * Returns what is to be called then.
 */
function homing(root) {
  let cell = null;
  root.addEventListener("focusin", () => {
    cell = root.closest(".jp-Cell");
  });
  root.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !root.contains(relatedTarget)) cell = null;
  });
  return () => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || root.contains(activeElement);
    if (isLost) cell?.focus({ preventScroll: true });
  };
}

/** Let the controls in `root` do nothing any more; what was typed can still be copied. */
function still(root) {
  for (const one of root.querySelectorAll("button,select,input,textarea")) {
    if (one.matches("textarea,input:not([type=checkbox],[type=radio])")) one.readOnly = true;
    else one.disabled = true;
  }
}

/** Copy a text; `host` takes a hidden box where the page has no clipboard of its own. */
async function copyText(text, host) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain http there is no clipboard object: the older way below.
  }
  const box = h("textarea", { class: "mcp-away", [SHORTCUTS]: "true" });
  box.value = text;
  const before = document.activeElement;
  host.append(box);
  box.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } finally {
    box.remove();
    if (before) before.focus({ preventScroll: true });
  }
  return copied;
}
