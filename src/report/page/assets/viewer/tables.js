// Tables of the viewer: as HTML, from texts alone, and as CSV (RFC 4180) with the numbers whole. A text that a spreadsheet would take for a formula gets an apostrophe.
const MOST_ROWS = 500;
// A cell is a text, or { text, value }: what is read, and what is exported.
const cellText = (cell) => (cell && typeof cell === "object" ? cell.text : String(cell ?? ""));
const isNumberCell = (cell) => cell !== null && typeof cell === "object";

function csvCell(cell) {
  if (isNumberCell(cell)) return cell.value == null ? "" : String(cell.value);
  const text = String(cell ?? "");
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll("\"", "\"\"")}"`;
}
const tableCsv = (table) => `${[table.heads, ...table.rows].map((row) => row.map(csvCell).join(",")).join("\n")}\n`;

function tableRow(cells, name) {
  const row = element("tr");
  cells.forEach((cell, i) => {
    const made = element(i === 0 || name === "th" ? "th" : "td", cellText(cell), isNumberCell(cell) ? "n" : "");
    if (made.localName === "th") made.scope = name === "th" ? "col" : "row";
    row.append(made);
  });
  return row;
}

// table: { caption, heads: [], rows: [[]], file }.
function addTable(holder, table) {
  const scroll = element("div", "", "scroll"), made = element("table"), head = element("thead"), body = element("tbody"), bar = element("div", "", "bar");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", table.caption);
  made.append(element("caption", table.caption), head, body);
  const numeric = table.heads.map((unused, i) => table.rows.length > 0 && table.rows.every((row) => isNumberCell(row[i])));
  head.append(tableRow(table.heads, "th"));
  [...head.firstChild.children].forEach((cell, i) => { if (numeric[i]) cell.className = "n"; });
  for (const row of table.rows.slice(0, MOST_ROWS)) body.append(tableRow(row, "td"));
  if (table.rows.length > MOST_ROWS) bar.append(element("span", `the first ${MOST_ROWS} of ${table.rows.length} rows are shown; the CSV has all`, "note"));
  button(bar, "CSV of the table", () => save(`${table.file}.csv`, new Blob([tableCsv(table)], { type: "text/csv" })));
  scroll.append(made);
  holder.append(bar, scroll);
}
