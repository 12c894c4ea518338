"use strict";
// Texts are put in as text nodes only, so that nothing in an item can become markup.
const PER_PAGE = 10;
const items = JSON.parse(document.getElementById("data").textContent);
const selects = [...document.querySelectorAll("#filters select")];
const search = document.getElementById("search");
const list = document.getElementById("list");
let found = items;
let start = 0;

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function side(pieces, left, className) {
  const shown = pieces.filter(([kind]) => kind !== (left ? "in" : "out"));
  const names = { out: "del", in: "ins" };
  return element("div", "text " + className, ...shown.map(([kind, text]) => (names[kind] ? element(names[kind], "", text) : text)));
}

function vote(one) {
  const said = [one.verdict.toUpperCase()];
  if (one.predicted_behavior) said.push(`expects ${one.predicted_behavior}`);
  if (one.failed_checks.length) said.push(`failed: ${one.failed_checks.join(", ")}`);
  said.push(...one.issues);
  return element("li", "", element("strong", "", one.verifier), ": " + said.join("; "));
}

// One reply of a model under test: what it was taken for, then its words.
function reply(one) {
  const head = element("p", "", element("strong", "", one.model), ` → ${one.predicted}: ${one.outcome}`, one.judged ? `, ${one.judged}` : "");
  return element("div", "reply " + one.mark, head, element("div", "text", one.text));
}

function article(item) {
  // Where there are replies there is no original: the texts stand once.
  const halves = item.replies ? [false] : [true, false];
  const sides = element("div", item.replies ? "once" : "sides", ...halves.map((left) => side(item.query, left, "query")));
  for (const passage of item.passages) {
    sides.append(...halves.map((left) => side(passage.pieces, left, "passage")));
  }
  const facts = [item.outcome.replaceAll("_", " "), item.generator, item.id].filter(Boolean).join(" · ");
  const made = element("article", "item " + item.outcome, element("h3", "", item.cell, element("small", "", facts)));
  made.append(element("p", "", element("strong", "", item.lever), ` → ${item.expected}`), sides);
  if (item.replies) made.append(...item.replies.map(reply));
  if (item.unchanged) made.append(element("p", "", `${item.unchanged} more passages, unchanged`));
  made.append(element("p", "", `Accepted answers to the original: ${item.answers.join(" · ")}`));
  if (item.reason) made.append(element("p", "", `Decision: ${item.reason}`));
  if (item.votes.length) made.append(element("ul", "votes", ...item.votes.map(vote)));
  return made;
}

function show() {
  list.replaceChildren(...found.slice(start, start + PER_PAGE).map(article));
  const end = Math.min(start + PER_PAGE, found.length);
  document.getElementById("count").textContent = found.length
    ? `${start + 1}–${end} of ${found.length} items`
    : "No item fits these filters.";
  document.getElementById("previous").disabled = start === 0;
  document.getElementById("next").disabled = end >= found.length;
}

function plain(item) {
  const pieces = [item.query, ...item.passages.map((passage) => passage.pieces)].flat();
  const replies = (item.replies ?? []).map((one) => one.text);
  return [item.id, item.lever, ...replies, ...pieces.map(([, text]) => text)].join(" ").toLowerCase();
}

function filter() {
  const wanted = selects.filter((select) => select.value);
  const words = search.value.toLowerCase().trim();
  found = items.filter(
    (item) => wanted.every((select) => [item[select.dataset.field]].flat().includes(select.value)) && (!words || plain(item).includes(words)),
  );
  start = 0;
  show();
}

selects.forEach((select) => select.addEventListener("change", filter));
search.addEventListener("input", filter);
document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("previous").addEventListener("click", () => { start = Math.max(0, start - PER_PAGE); show(); });
document.getElementById("next").addEventListener("click", () => { start += PER_PAGE; show(); });
show();
