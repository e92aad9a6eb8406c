// Boxes that hold places of their own: groups, maps, tuples, unions; lists are in rows.js.

function groupBox(place) {
  const { sheet, form } = place;
  const places = (sheet.fields ?? []).map((one) => [one.name, new Place(one, form)]);
  const value = { kind: "json", hint: "JSON or text" };
  const added = sheet.closed ? null : new KeyRows(place, value, { isOffered: sheet.open === true });
  const nothing = !places.length && !sheet.open;
  return {
    el: h(
      "div",
      { class: place.bare ? "" : "mcp-inside" },
      ...places.map(([, one]) => one.el),
      added?.el,
      nothing ? h("p", { class: "mcp-hint" }, "It takes no arguments.") : null,
    ),
    mark(hide) {
      const members = [...places, ...(added?.entries() ?? [])]
        .map(([name, one]) => [name, one.mark(hide)])
        .filter(([, mark]) => mark !== undefined);
      return { members };
    },
    fill(mark) {
      const given = new Map(mark.members ?? []);
      for (const [name, one] of places) one.fill(given.get(name));
      const known = new Set(places.map(([name]) => name));
      added?.fill((mark.members ?? []).filter(([name]) => !known.has(name)));
    },
    inside: () => [...places, ...(added?.entries() ?? [])],
    focus: () => (places.length ? places[0][1].focus() : added?.focus()),
  };
}

function mapBox(place) {
  const rows = new KeyRows(place, place.sheet.item, { keys: place.sheet.keys });
  return {
    el: rows.el,
    mark: (hide) => ({
      members: rows.entries().map(([name, one]) => [name, one.mark(hide)]),
    }),
    fill: (mark) => rows.fill(mark.members ?? []),
    inside: () => rows.entries(),
    focus: () => rows.focus(),
  };
}

const SECRET = new RegExp(SECRET_WORD, "iu"); // see front.py
const MASKED = new Set(["text", "json"]);

/** Rows of a key and a value. */
class KeyRows {
  constructor(place, sheet, { keys = [], isOffered = true } = {}) {
    Object.assign(this, { place, sheet, keys, rows: [] });
    this.list = h("div", { class: "mcp-rows" });
    const text = "Add a key";
    this.more = button(text, () => this.add().key.focus(), {
      "aria-label": place.label ? `${text} to ${place.label}` : text,
    });
    this.el = h("div", { hidden: !isOffered }, this.list, this.more);
  }

  add(name = this.keys[0] ?? "") {
    const key = this.keys.length
      ? h("select", {}, ...this.keys.map((one) => h("option", { value: one }, one)))
      : h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    key.setAttribute("aria-label", "Key");
    key.value = name;
    const row = { key, el: h("div", { class: "mcp-row" }, key) };
    this.makeValue(row);
    key.addEventListener("input", () => {
      this.makeValue(row);
      this.place.form.changed();
    });
    this.rows.push(row);
    this.list.append(row.el);
    this.el.hidden = false; // what is there can be seen, whether it is offered or not
    this.place.form.changed();
    return row;
  }

  /** Make the place of a value; one whose key names a secret is masked (forms.member). */
  makeValue(row) {
    const { sheet } = this;
    const secret = sheet.secret || (MASKED.has(sheet.kind) && SECRET.test(row.key.value));
    if (row.place && row.place.sheet.secret === secret) return;
    const mark = row.place?.mark(false);
    const forget = () => this.remove(row);
    row.place?.el.remove();
    row.place = new Place({ ...sheet, secret }, this.place.form, { row: "value", forget });
    row.place.fill(mark);
    row.el.append(row.place.el);
  }

  remove(row) {
    this.rows = this.rows.filter((one) => one !== row);
    row.el.remove();
    this.more.focus();
    this.place.form.changed();
  }

  entries() {
    return this.rows.map((row) => [row.key.value, row.place]);
  }

  fill(members) {
    for (const row of [...this.rows]) this.remove(row);
    for (const [name, mark] of members) this.add(name).place.fill(mark);
  }

  focus() {
    (this.rows[0]?.key ?? this.more).focus();
  }
}

function tupleBox(place) {
  const places = (place.sheet.fields ?? []).map(
    (one, at) => new Place({ ...one, label: String(at + 1) }, place.form),
  );
  return {
    el: h("div", { class: "mcp-inside" }, ...places.map((one) => one.el)),
    mark: (hide) => ({ rows: places.map((one) => one.mark(hide) ?? null) }),
    fill: (mark) => places.forEach((one, at) => one.fill(mark.rows?.[at])),
    inside: () => places.map((one, at) => [at, one]),
    focus: () => places[0]?.focus(),
  };
}

function unionBox(place) {
  const { sheet, form } = place;
  const made = new Map();
  const shown = h("div", {});
  const control = h("select", {
    "aria-label": `${place.label || "Arguments"}: which way`,
    onchange: () => {
      turn(control.value);
      place.touched();
    },
  });
  sheet.variants.forEach((one, at) => control.append(h("option", { value: at }, one.label)));
  let now = null;
  function turn(at) {
    control.value = at;
    if (!made.has(control.value)) {
      const variant = sheet.variants[Number(control.value)];
      const way = { ...variant, name: sheet.name, secret: sheet.secret || variant.secret };
      made.set(control.value, new Place(way, form, { bare: true }));
    }
    now = made.get(control.value);
    shown.replaceChildren(now.el);
  }
  turn("0");
  return {
    el: h("div", {}, h("div", { class: "mcp-line" }, control), shown),
    control,
    mark(hide) {
      const mark = now.mark(hide);
      return mark && { variant: Number(control.value), mark };
    },
    fill(mark) {
      if (mark.variant === undefined) return;
      turn(String(mark.variant));
      now.fill(mark.mark);
    },
    inside: () => [[null, now]],
    focus: () => control.focus(),
  };
}
