// The search box and the listbox of the tools.

const DRAWN = 200; // rows; beyond that, searching is faster than scrolling
const UNLISTED = new Set(["open world", "effects not stated"]); // shown once it is open

const tag = (text) => h("span", { class: "mcp-tag", "data-mark": text }, text);

/** The search box and the listbox. */
class ToolOptions {
  constructor(rows, id, { open, say }) {
    Object.assign(this, { rows, id, open, say, shown: [], active: 0, running: new Set() });
    this.texts = rows.map((row) =>
      [row.name, row.means, row.title, row.description, row.server].join("\n").toLowerCase(),
    );
    this.search = h("input", {
      type: "search",
      class: "mcp-search",
      placeholder: "Search the tools",
      "aria-label": "Search the tools",
      "aria-controls": `${id}-list`,
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.draw(),
      onkeydown: (event) => this.searchKey(event),
    });
    this.list = h("div", {
      role: "listbox",
      id: `${id}-list`,
      class: "mcp-list",
      tabindex: "0",
      "aria-label": "Tools",
      onkeydown: (event) => this.listKey(event),
    });
    this.nothing = h("div", { class: "mcp-hint", hidden: true }, "No tool matches. ");
    this.nothing.append(button("Show all", () => this.clear()));
    this.el = h("div", {}, this.search, this.list, this.nothing);
  }

  clear() {
    this.search.value = "";
    this.draw();
    this.search.focus();
  }

  draw() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.rows
      .map((_, at) => at)
      .filter((at) => words.every((word) => this.texts[at].includes(word)));
    this.found = this.grouped(found);
    this.shown = this.found.slice(0, DRAWN);
    this.options = new Map();
    this.list.replaceChildren(...this.groups());
    this.list.hidden = !found.length;
    this.nothing.hidden = found.length > 0;
    const all = this.rows.length;
    const count = all === 1 ? "1 tool" : `${all} tools`;
    const more = found.length - this.shown.length;
    this.say(
      (words.length ? `${found.length} of ${count}` : count) +
        (more > 0 ? `; ${more} more than are shown: search` : ""),
    );
    this.move(0);
    if (this.selected !== undefined) this.select(this.selected);
    this.mark(this.running);
  }

  /** Keep the tools of a group together, groups where their first tool stands. */
  grouped(found) {
    const groups = new Map([["", []]]);
    for (const at of found) {
      const name = this.rows[at].group ?? "";
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(at);
    }
    return [...groups.values()].flat();
  }

  groups() {
    const made = [];
    let group = null;
    for (const at of this.shown) {
      const name = this.rows[at].group ?? "";
      if (name && group?.dataset.group !== name) {
        const label = h("div", { class: "mcp-group", role: "presentation" }, name);
        group = h("div", { role: "group", "aria-label": name, "data-group": name }, label);
        made.push(group);
      }
      const option = this.option(at);
      if (name) group.append(option);
      else made.push(option);
    }
    return made;
  }

  option(at) {
    const row = this.rows[at];
    const marks = (row.marks ?? []).filter((mark) => !UNLISTED.has(mark));
    const option = h(
      "div",
      {
        role: "option",
        id: `${this.id}-${at}`,
        class: "mcp-option",
        "aria-selected": "false",
        onclick: () => {
          this.move(this.shown.indexOf(at));
          this.open(at, false);
        },
      },
      h("code", {}, row.name),
      row.means ? h("span", { class: "mcp-means" }, row.means) : null,
      h("span", { class: "mcp-title" }, row.title ?? row.brief ?? ""),
      ...marks.map((mark) => tag(mark)),
      row.problem ? tag("has a problem") : null,
    );
    this.options.set(at, option);
    return option;
  }

  move(to) {
    this.options.get(this.shown[this.active])?.classList.remove("mcp-active");
    this.active = Math.min(Math.max(to, 0), Math.max(this.shown.length - 1, 0));
    const option = this.options.get(this.shown[this.active]);
    if (!option) return this.list.removeAttribute("aria-activedescendant");
    option.classList.add("mcp-active");
    this.list.setAttribute("aria-activedescendant", option.id);
    const top = option.offsetTop - this.list.offsetTop;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    const below = top + option.offsetHeight - this.list.clientHeight;
    if (below > this.list.scrollTop) this.list.scrollTop = below;
  }

  select(at) {
    this.options.get(this.selected)?.setAttribute("aria-selected", "false");
    this.selected = at;
    this.options.get(at)?.setAttribute("aria-selected", "true");
  }

  mark(running) {
    this.running = running;
    for (const option of this.list.querySelectorAll(".mcp-running")) option.remove();
    for (const at of running) {
      this.options.get(at)?.append(h("span", { class: "mcp-tag mcp-running" }, "running"));
    }
  }

  searchKey(event) {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      if (this.shown.length) this.list.focus();
    } else if (event.key === "Escape" && this.search.value) {
      this.clear();
    } else {
      return;
    }
    event.preventDefault();
  }

  listKey(event) {
    const last = this.shown.length - 1;
    const ways = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + 8,
      PageUp: this.active - 8,
      Home: 0,
      End: last,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ways) this.move(ways[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.open(this.shown[this.active], true);
    else if (event.key === "Escape") this.search.focus();
    else {
      if (event.key.length === 1) this.search.focus(); // the letter is typed there
      return;
    }
    event.preventDefault();
  }
}
