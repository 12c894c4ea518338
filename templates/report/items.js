"use strict";
// One item as every page shows it. Texts are put in as text nodes only, so that nothing in an item can become markup.
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function side(pieces, left, className) {
  const shown = pieces.filter(([kind]) => kind !== (left ? "in" : "out"));
  const names = { out: "del", in: "ins" };
  const made = element("div", "text " + className, ...shown.map(([kind, text]) => (names[kind] ? element(names[kind], "", text) : text)));
  if (!className.endsWith("once")) made.dataset.side = left ? "Original" : "Result";
  return made;
}

// A long text behind a line that opens it; nothing for an empty one.
function raw(title, text) {
  return text ? [element("details", "", element("summary", "", title), element("div", "text raw", text))] : [];
}

function vote(one) {
  const said = [one.verdict.toUpperCase()];
  if (one.predicted_behavior) said.push(`expects ${one.predicted_behavior}`);
  if (one.failed_checks.length) said.push(`failed: ${one.failed_checks.join(", ")}`);
  said.push(...one.issues);
  return element("li", one.verdict, element("strong", "", one.verifier), ": " + said.join("; "), ...raw("reply", one.raw));
}

// One reply of a model under test: what it was taken for, then its words.
function reply(one) {
  const head = element("p", "", element("strong", "", one.model), ` → ${[one.predicted, one.outcome].filter(Boolean).join(": ")}`, one.judged ? `, ${one.judged}` : "");
  const said = (one.said ?? []).map(([who, text]) => raw(`reply of ${who}`, text)).flat();
  return element("div", "reply " + one.mark, head, element("div", "text", one.text), ...said);
}

// Original and result side by side; what models are asked about stands once if it was not changed.
function sidesOf(item) {
  const made = [];
  for (const { pieces, name, folded } of [{ pieces: item.query, name: "query" }, ...item.passages.map((one) => ({ ...one, name: "passage" }))]) {
    const once = item.replies && pieces.every(([kind]) => kind === "same");
    if (folded) made.push(element("details", "", element("summary", "", folded), element("div", "text", ...pieces.map(([, text]) => text))));
    else made.push(...(once ? [side(pieces, false, `${name} once`)] : [side(pieces, true, name), side(pieces, false, name)]));
  }
  return made;
}

function article(item) {
  const outcome = item.outcome ?? "";
  const facts = [outcome.replaceAll("_", " "), item.generator, item.id].filter(Boolean).join(" · ");
  const made = element("article", "item " + outcome, element("h3", "", item.cell, element("small", "", facts)));
  if (item.lever) made.append(element("p", "", element("strong", "", item.lever), item.expected && ` → ${item.expected}`));
  made.append(element("div", "sides", ...sidesOf(item)));
  if (item.replies) made.append(...item.replies.map(reply));
  if (item.unchanged) made.append(element("p", "", `${item.unchanged} more passages, unchanged`));
  made.append(element("p", "", `Accepted answers to the original: ${item.answers.join(" · ")}`));
  if (item.reason) made.append(element("p", "", `Decision: ${item.reason}`));
  if (item.votes.length) made.append(element("ul", "votes", ...item.votes.map(vote)));
  return made;
}
