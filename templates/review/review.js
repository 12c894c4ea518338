"use strict";
// Every answer is sent the moment it is given. Until the server has it on disk it is kept with the tab, so that not
// even a reload at the wrong moment loses it.
const change = document.getElementById("change");
if (change) document.querySelector(".texts .sides").append(...sidesOf(JSON.parse(change.textContent)));
const form = document.getElementById("questions");
const fieldsets = [...form.querySelectorAll("fieldset")];
const comment = document.getElementById("comment");
const trouble = document.getElementById("trouble");
const saved = document.getElementById("saved");
const unsaved = new Map(JSON.parse(sessionStorage.getItem(form.dataset.answers) ?? "[]")); // question -> answer
let sending = null;
let current = 0;

function answerOf(fieldset) {
  const chosen = fieldset.querySelector("input:checked");
  return chosen ? chosen.value : null;
}

function choice(fieldset, answer) {
  return fieldset.querySelector(`input[value="${answer}"]`);
}

function show() {
  fieldsets.forEach((fieldset, index) => fieldset.classList.toggle("current", index === current));
  const answers = fieldsets.map(answerOf);
  const left = answers.filter((answer) => answer === null).length;
  const verdict = answers.includes("no") ? "FAIL" : "PASS";
  const finished = form.dataset.verdict ? `Your verdict: ${verdict}` : "All answered.";
  document.getElementById("verdict").textContent = left ? `${left} to answer` : finished;
  document.body.dataset.unsaved = unsaved.size;
}

function keep() {
  sessionStorage.setItem(form.dataset.answers, JSON.stringify([...unsaved]));
}

function fill(answers) {
  for (const fieldset of fieldsets) {
    const answer = answers[fieldset.dataset.question];
    if (answer) choice(fieldset, answer).checked = true;
  }
  if (document.activeElement !== comment && answers.comment !== undefined) comment.value = answers.comment;
}

function firstOpen() {
  const open = fieldsets.findIndex((fieldset) => answerOf(fieldset) === null);
  return open < 0 ? fieldsets.length : open;
}

async function send() {
  while (unsaved.size) {
    const [question, answer] = unsaved.entries().next().value;
    try {
      const reply = await fetch(form.dataset.answers, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ question, answer }),
        keepalive: true,
      });
      const content = await reply.json();
      if (!reply.ok) throw new Error(content.error);
      if (unsaved.get(question) === answer) unsaved.delete(question);
      keep();
      document.getElementById("done").textContent = content.done;
      document.getElementById("progress").value = content.done;
      trouble.hidden = true;
      saved.textContent = "Saved.";
    } catch (error) {
      trouble.textContent = `Not saved: ${error.message}. Trying again; keep this page open and check that the review still runs.`;
      trouble.hidden = false;
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
    show();
  }
  sending = null;
}

function save(question, answer) {
  unsaved.set(question, answer);
  keep();
  saved.textContent = "Saving…";
  sending ??= send();
}

function give(index, answer) {
  const fieldset = fieldsets[index];
  if (!choice(fieldset, answer)) return;
  choice(fieldset, answer).checked = true;
  save(fieldset.dataset.question, answer);
  current = index;
  if (index + 1 < fieldsets.length) current = index + 1;
  show();
}

let typing = null;
function saveComment() {
  clearTimeout(typing);
  if (typing !== null) save("comment", comment.value);
  typing = null;
}

async function move(address) {
  saveComment();
  await sending;
  window.location.assign(address);
}

// Answers given in another tab turn up here when this one is looked at again.
async function refresh() {
  if (unsaved.size || typing !== null) return;
  const reply = await fetch(form.dataset.answers).catch(() => null);
  if (!reply || !reply.ok || unsaved.size || typing !== null) return;
  fill((await reply.json()).answers);
  show();
}

form.addEventListener("change", (event) => {
  const fieldset = event.target.closest("fieldset");
  if (fieldset) give(fieldsets.indexOf(fieldset), event.target.value);
});
comment.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(saveComment, 400);
});
comment.addEventListener("blur", saveComment);
window.addEventListener("pagehide", saveComment);
window.addEventListener("focus", refresh);
window.addEventListener("beforeunload", (event) => {
  saveComment();
  if (unsaved.size && !trouble.hidden) event.preventDefault();
});
const position = Number(document.getElementById("position").textContent);
const moves = {
  previous: () => position > 1 && move(form.dataset.item + (position - 1)),
  following: () => position < Number(form.dataset.total) && move(form.dataset.item + (position + 1)),
  unfinished: () => move(form.dataset.home + "?after=" + position),
};
for (const [id, action] of Object.entries(moves)) document.getElementById(id).addEventListener("click", action);

// A number chooses one of several questions, or an answer where there is only one.
function choose(index) {
  if (fieldsets.length > 1) current = Math.min(index, fieldsets.length - 1);
  else give(0, fieldsets[0].querySelectorAll("input")[index]?.value);
  show();
}

const keys = {
  y: () => give(current, "yes"),
  n: () => give(current, "no"),
  c: () => comment.focus(),
  Enter: moves.unfinished,
  ArrowLeft: moves.previous,
  ArrowRight: moves.following,
  ArrowUp: () => { current = Math.max(0, current - 1); show(); },
  ArrowDown: () => { current = Math.min(fieldsets.length - 1, current + 1); show(); },
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target === comment) {
    if (event.key === "Escape") comment.blur();
    return;
  }
  if (event.key === "Enter" && event.target.closest("button, a, summary")) return;
  const action = /^[1-9]$/.test(event.key)
    ? () => choose(Number(event.key) - 1)
    : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
fill(Object.fromEntries(unsaved));
if (unsaved.size) sending = send();
current = Math.min(firstOpen(), fieldsets.length - 1);
show();
document.body.dataset.ready = "true";
