// Tables whose rows a reader puts in the order of a column: a button in each head. Numbers are compared by what they mean, so 900 us is less than 1 ms, and 1 min 30 s more than 80 s; a cell without one is last.
const SIZES = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, B: 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, min: 6e10, h: 3.6e12, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

function meantBy(text) {
  const found = /^([+-]?[0-9.,]+(?:e[+-]?[0-9]+)?)\s*([A-Za-z]*)/.exec(text);
  if (!found) return null;
  const [begin, number, unit] = found, rest = unit === "h" || unit === "min" ? [...text.slice(begin.length).matchAll(/([0-9.]+) (min|s)\b/g)] : [];
  return rest.reduce((sum, [, n, of]) => sum + Number(n) * SIZES[of], Number(number.replaceAll(",", "")) * (SIZES[unit] || 1));
}

function ordered(rows, column, isNumber, falling) {
  const key = (row) => (isNumber ? meantBy(row.cells[column].textContent.trim()) : row.cells[column].textContent);
  const keyed = rows.map((row) => [key(row), row]), known = keyed.filter(([value]) => value !== null && !Number.isNaN(value));
  known.sort(([a], [b]) => (falling ? -1 : 1) * (isNumber ? a - b : a.localeCompare(b, "en", { numeric: true })));
  return [...known, ...keyed.filter((one) => !known.includes(one))].map(([, row]) => row);
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const isNumber = head.classList.contains("n"), text = head.textContent;
    head.textContent = "";
    button(head, text, () => {
      const falling = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") !== "descending" : isNumber;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      body.append(...ordered([...body.rows], column, isNumber, falling));
    });
  });
}
// A folded table gets its buttons when it is unfolded.
document.querySelectorAll("table").forEach((table) => {
  if (!table.tHead || table.tBodies[0].rows.length < 3) return;
  if (table.closest("details:not([open])")) whenNear(table, () => makeSortable(table));
  else makeSortable(table);
});
