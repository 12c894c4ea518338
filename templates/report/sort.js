"use strict";
// A click on the head of a column sorts its table, a second one the other way round; values that are not numbers come last.
function sortValue(row, place) {
  const text = row.cells[place].textContent.trim();
  const number = Number.parseFloat(text.replace("−", "-").replace(/[$,]/g, ""));
  return row.cells[place].classList.contains("number") ? number : text;
}

function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
  return Number.isNaN(a) || Number.isNaN(b) ? 0 : a - b;
}

function sortBy(head) {
  const rows = [...head.closest("table").tBodies[0].rows];
  const way = head.ariaSort === "descending" || (head.ariaSort === null && !head.classList.contains("number")) ? "ascending" : "descending";
  const sign = way === "ascending" ? 1 : -1;
  const value = new Map(rows.map((row) => [row, sortValue(row, head.cellIndex)]));
  const last = (row) => Number(Number.isNaN(value.get(row)));
  rows.sort((a, b) => last(a) - last(b) || sign * compare(value.get(a), value.get(b)));
  rows[0]?.parentElement.append(...rows);
  for (const one of head.parentElement.cells) one.ariaSort = one === head ? way : null;
}

for (const head of document.querySelectorAll(".table thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  button.addEventListener("click", () => sortBy(head));
  head.append(button);
}
