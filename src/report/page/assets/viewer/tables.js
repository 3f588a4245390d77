// Tables of the viewer: as HTML, only from texts, and as CSV (RFC 4180) with unrounded numbers. A text that a
// spreadsheet would read as a formula gets an apostrophe.
const MOST_ROWS = 500;
// A cell is a text, or { text, value }: the displayed text and the exported value.
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

// Facts of paging runs on their threads and on the machine's memory, as pmbench's own viewer exports them. Each count
// is followed by its change until the next snapshot.
const numberCell = (value, text) => (value == null ? { value: null, text: "-" } : { value, text });
const THREAD_COLUMNS = [["process", String], ["thread", String], ["accesses", countText], ["net_ns", nsText], ["each_ns", nsText], ["overhead_ns", nsText], ["wall_ns", nsText],
  ["warmup_accesses", countText], ["warmup_ns", nsText], ["kernel_minor", countText], ["kernel_major", countText]];

const runHeads = (runs) => (runs.some(({ repetition }) => repetition) ? ["file", "repetition"] : ["file"]);

function threadsTable(runs) {
  const all = runs.flatMap((run) => run.workers.map((worker) => ({ run, worker }))), heads = runHeads(runs);
  const columns = THREAD_COLUMNS.filter(([name]) => all.some(({ worker }) => worker[name] != null));
  const cell = (value, text) => numberCell(value, value == null ? "" : text(value));
  const rows = all.map(({ run, worker }) => [...heads.map((head) => run[head]), ...columns.map(([name, text]) => cell(worker[name], text))]);
  return { caption: "Threads: net time and whole time of an access, the loop's own part of it, and the thread's time", heads: [...heads, ...columns.map(([name]) => name)], rows,
    file: "threads" };
}

function memoryTable(runs) {
  const counts = ({ name, windows, ...own }) => windows || own, names = [...new Set(runs.flatMap(({ memory }) => memory.flatMap((item) => Object.keys(counts(item)))))];
  const heads = runHeads(runs), rows = runs.flatMap((run) => run.memory.map((item, i) => [...heads.map((head) => run[head]), item.name, ...names.flatMap((name) => {
    const now = counts(item)[name], next = i + 1 < run.memory.length ? counts(run.memory[i + 1])[name] : null, change = now == null || next == null ? null : next - now;
    return [numberCell(now, String(now)), numberCell(change, `${change > 0 ? "+" : ""}${change}`)];
  })]));
  return { caption: "The machine's memory: counts at moments of the run, and their change until the next one", heads: [...heads, "moment",
    ...names.flatMap((name) => [name, `${name} change`])], rows, file: "memory" };
}

function showThreads(holder, runs) {
  for (const table of [threadsTable(runs), memoryTable(runs)]) if (table.rows.length) addTable(holder, table);
}
