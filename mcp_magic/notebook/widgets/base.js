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
  root.addEventListener(
    "keydown",
    (event) => {
      if (!isSave(event)) return;
      const marked = event
        .composedPath()
        .filter((node) => node.hasAttribute && node.hasAttribute(SHORTCUTS));
      for (const node of marked) node.removeAttribute(SHORTCUTS);
      setTimeout(() => marked.forEach((node) => node.setAttribute(SHORTCUTS, "true")));
    },
    true,
  );
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
  return () => watching.disconnect();
}

/** Show `root` and let `hear` take what the kernel sends, which is asked to begin.
 *
 * Returns what undoes it.
 */
function attend({ model, el }, root, hear) {
  const unquiet = quiet(root);
  model.on("msg:custom", hear);
  el.append(root);
  model.send({ kind: "ready" });
  return () => {
    unquiet();
    model.off("msg:custom", hear);
  };
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
