"use strict";
// The address after # says what is shown, so that every state of the page has a link: #/, #/items?…, #/item/ID?…
const FIELDS = ["cell", "lever", "generator", "verdict"];
const PAGE = 50;
const at = (id) => document.getElementById(id);
const load = window.loadFromBundle ?? loadFromServer;
let overview = null;
let before = null; // the last overview with its time, for the speed
let around = {}; // the items before and after the one that is shown

async function loadFromServer(name, query = {}) {
  const reply = await fetch(`data/${name}?${new URLSearchParams(query)}`);
  if (reply.status === 404) throw new Error("There is no such item");
  const content = await reply.json();
  if (!reply.ok) throw new Error(content.error);
  return content;
}

function complain(error) {
  at("trouble").textContent = error.message + (error instanceof TypeError ? ": is perturb view still running?" : "");
  at("trouble").hidden = false;
}

function link(path, query = {}) {
  const kept = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
  return `#/${path}` + (kept.size ? `?${kept}` : "");
}

function anchor(href, className, ...children) {
  const made = element("a", className, ...children);
  made.href = href;
  return made;
}

function place() {
  const [path, query] = location.hash.replace(/^#?\/?/, "").split("?");
  const [view, id] = path.split("/");
  return { view: view || "figures", id: id && decodeURIComponent(id), query: Object.fromEntries(new URLSearchParams(query)) };
}

async function loadOverview() {
  overview = await load("overview");
  showState();
}

function speed() {
  const now = { done: overview.done, time: performance.now() };
  if (before === null) before = now;
  const seconds = (now.time - before.time) / 1000;
  return seconds > 1 ? ` · ${((now.done - before.done) / seconds).toFixed(1)} a second` : "";
}

function showState() {
  document.title = at("title").textContent = overview.title;
  const share = `${overview.done.toLocaleString("en")} of ${overview.of.toLocaleString("en")} done`;
  at("state").textContent = overview.subtitle + " · " + share + (overview.running ? ` · running${speed()}` : "");
}

function funnel(stages) {
  const most = Math.max(1, ...stages.map(([, n]) => n));
  const list = element("dl", "funnel");
  for (const [name, n, query] of stages) {
    const bar = element("div", "bar" + (query?.verdict && query.verdict !== "accepted" ? " lost" : ""));
    bar.style.width = `${(100 * n) / most}%`;
    const title = query ? anchor(link("items", query), "", name) : name;
    list.append(element("dt", "", title), element("dd", "", bar), element("dd", "number", n.toLocaleString("en")));
  }
  return list;
}

function headed(names, numbers) {
  const cells = names.map((name, index) => element("th", numbers[index] ? "number" : "", name));
  return element("thead", "", element("tr", "", ...cells));
}

function grid({ columns, rows }) {
  const most = Math.max(1, ...rows.flatMap(([, cells]) => cells.map(([n]) => n ?? 0)));
  const body = element("tbody", "");
  for (const [name, cells] of rows) {
    const row = element("tr", "", element("th", "", name));
    for (const [n, query] of cells) {
      const cell = element("td", "number", n === null ? "–" : anchor(link("items", query), "", n.toLocaleString("en")));
      cell.style.background = `color-mix(in srgb, var(--right) ${(45 * (n ?? 0)) / most}%, transparent)`;
      row.append(cell);
    }
    body.append(row);
  }
  return element("table", "grid", headed(["", ...columns], [false, ...columns.map(() => true)]), body);
}

function table({ columns, rows, notes }) {
  const numbers = columns.map((one) => one.number);
  const lines = rows.map((row) => element("tr", "", ...row.map((text, index) => element("td", numbers[index] ? "number" : "", text))));
  const made = element("table", "", headed(columns.map((one) => one.name), numbers), element("tbody", "", ...lines));
  return element("div", "", made, ...notes.map((note) => element("p", "note", note)));
}

async function showFigures() {
  if (overview === null) await loadOverview();
  const blocks = [["From start to end", funnel(overview.funnel)]];
  blocks.push(...overview.grids.map((one) => [one.title, grid(one)]));
  blocks.push(...overview.tables.map((one) => [one.title, table(one)]));
  at("figures").replaceChildren(...blocks.map(([title, content]) => element("div", "scrolled", element("h2", "", title), content)));
}

// ---- the list ----

function makeFilters() {
  const form = at("filters");
  for (const name of FIELDS) {
    const select = element("select", "");
    select.name = name;
    form.append(element("label", "", name, select));
  }
  const search = element("input", "");
  Object.assign(search, { type: "search", name: "text" });
  const disagreement = element("input", "");
  Object.assign(disagreement, { type: "checkbox", name: "disagreement" });
  form.append(element("label", "", "text", search), element("label", "", disagreement, " disagreement"));
  const change = () => location.assign(link("items", chosen()));
  let typing = null;
  form.addEventListener("change", change);
  form.addEventListener("submit", (event) => { event.preventDefault(); change(); });
  search.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(change, 300); });
}

function chosen() {
  const form = at("filters");
  const values = Object.fromEntries([...FIELDS, "text"].map((name) => [name, form.elements[name].value]));
  return { ...values, disagreement: form.elements.disagreement.checked ? "1" : "" };
}

function fillFilters(query, choices) {
  const form = at("filters");
  for (const name of FIELDS) {
    const select = form.elements[name];
    const values = [...new Set(["", query[name] ?? "", ...choices[name]])];
    select.replaceChildren(...values.map((value) => new Option(value.replaceAll("_", " ") || "all", value)));
    select.value = query[name] ?? "";
    select.parentElement.hidden = values.length < 2;
  }
  if (document.activeElement !== form.elements.text) form.elements.text.value = query.text ?? "";
  form.elements.disagreement.checked = Boolean(query.disagreement);
}

async function showList(query) {
  const { total, start, items, filters: choices } = await load("items", query);
  fillFilters(query, choices);
  const { start: _, ...filters } = query;
  at("list").replaceChildren(...items.map((one) => {
    const where = element("span", "", one.cell, element("br", ""), element("small", "", [one.lever, one.generator].filter(Boolean).join(" · ")));
    const verdict = element("span", "verdict " + one.verdict, one.verdict.replaceAll("_", " "), one.disagreement ? "\n≠ disagreement" : "");
    return element("li", "", anchor(link(`item/${encodeURIComponent(one.id)}`, filters), "", where, element("span", "question", one.query), verdict));
  }));
  const end = start + items.length;
  at("count").textContent = total ? `${start + 1}–${end} of ${total.toLocaleString("en")} items` : "No item fits these filters.";
  const turn = { back: start > 0 && link("items", { ...filters, start: Math.max(0, start - PAGE) }), on: end < total && link("items", { ...filters, start: end }) };
  for (const [id, href] of Object.entries(turn)) {
    at(id).disabled = !href;
    at(id).onclick = () => location.assign(href);
  }
  around = { previous: turn.back, next: turn.on, up: link("") };
}

// ---- one item ----

async function showItem(id, query) {
  const item = await load("item", { ...query, id });
  const to = (other) => other && link(`item/${encodeURIComponent(other)}`, query);
  around = { previous: to(item.previous), next: to(item.next), up: link("items", query) };
  const move = (name, text) => {
    const button = element("button", "", text);
    button.disabled = !around[name];
    button.addEventListener("click", () => location.assign(around[name]));
    return button;
  };
  const copy = element("button", "", "Copy link");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    copy.textContent = "Copied";
  });
  const keys = element("span", "note", element("kbd", "", "←"), " ", element("kbd", "", "→"), " items, ", element("kbd", "", "Esc"), " list");
  const made = article({ ...item, outcome: item.replies ? "" : item.verdict });
  const prompts = item.prompts.map(({ title, messages }) => raw(`prompt to ${title}`, messages.map(([role, text]) => `${role}\n\n${text}`).join("\n\n———\n\n"))).flat();
  made.append(...prompts, ...(item.generated ?? []).map((text) => raw(`reply of ${item.generator}`, text)).flat());
  if (item.prompts.length) made.append(element("p", "note", item.prompt_note));
  const pager = element("p", "pager", anchor(around.up, "", "List"), move("previous", "← Previous"), move("next", "Next →"), copy, keys);
  at("item").replaceChildren(pager, made);
}

// ---- what is shown when ----

let shown = 0;
let lost = false; // whether the last look at the run failed
async function show() {
  const { view, id, query } = place();
  const turn = ++shown;
  try {
    around = {};
    if (view === "items") await showList(query);
    else if (view === "item") await showItem(id, query);
    else await showFigures();
    if (turn !== shown) return; // another link was followed meanwhile
    at("trouble").hidden = true;
  } catch (error) {
    complain(error);
  }
  const kind = ["items", "item"].includes(view) ? view : "figures";
  for (const name of ["figures", "items", "item"]) at(name).hidden = name !== kind;
  document.querySelectorAll("nav a").forEach((one, index) => one.toggleAttribute("aria-current", (index === 0) === (kind === "figures")));
  document.body.dataset.ready = String(turn);
}

async function follow() {
  try {
    await loadOverview();
    if (place().view === "figures") await showFigures();
    if (lost) await show(); // the page answers again; what stands there says why an item cannot be shown
    lost = false;
  } catch (error) {
    lost = true;
    complain(error);
  }
  if (!window.loadFromBundle) setTimeout(follow, overview?.running ? 2000 : 10000);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  const moves = { ArrowLeft: around.previous, ArrowRight: around.next, k: around.previous, j: around.next, Escape: around.up };
  if (event.key === "/" && place().view === "items") {
    event.preventDefault();
    at("filters").elements.text.focus();
  } else if (moves[event.key]) {
    event.preventDefault();
    location.assign(moves[event.key]);
  }
});
window.addEventListener("hashchange", () => { window.scrollTo(0, 0); show(); });
makeFilters();
show().then(follow);
