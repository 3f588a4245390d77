// A pivot table. Rows are the values of one parameter, columns those of a second one or none. A cell is the mean of a
// metric over its runs, with their number. Directions and classes of accesses are never averaged with each other:
// unless rows or columns are directions, each has a separate column.
const ONE_COLUMN = "(none)";

// First the most common parameters, then others with different values, then those with equal values everywhere.
function parameterNames(measures) {
  const values = new Map();
  for (const { parameters } of measures)
    for (const [name, value] of Object.entries(parameters)) values.set(name, (values.get(name) || new Set()).add(String(value)));
  const first = ["file", "job", "direction", "class", "rw", "bs", "iodepth", "numjobs", "engine", "host", "program"];
  const rank = (name) => (first.includes(name) ? first.indexOf(name) : values.get(name).size > 1 ? 100 : 200);
  return [...values.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const UNITS = { k: 1024, m: 2 ** 20, g: 2 ** 30 };
function numberIn(text) {
  const found = /^\s*(-?\d+(?:\.\d+)?)\s*([kmg]?)/i.exec(text);
  return found ? Number(found[1]) * (UNITS[found[2].toLowerCase()] || 1) : null;
}
// 4k before 16k, numbers before words, words in alphabetical order.
function inOrder(a, b) {
  const x = numberIn(a), y = numberIn(b);
  if ((x === null) !== (y === null)) return x === null ? 1 : -1;
  return x !== null && y !== null && x !== y ? x - y : a < b ? -1 : a > b ? 1 : 0;
}

function cellsOf(measures, rowName, columnName, apart) {
  const cells = new Map(), rows = new Set(), columns = new Set();
  for (const measure of measures) {
    const valueOf = (name) => String(measure.parameters[name] ?? "") || "(not given)", row = valueOf(rowName), main = columnName === ONE_COLUMN ? "" : valueOf(columnName);
    const column = [apart && measure.of.startsWith(main) ? "" : main, apart ? measure.of : ""].filter(Boolean).join(", "), key = JSON.stringify([row, column]);
    rows.add(row);
    columns.add(column);
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(measure);
  }
  return { cells, rows: [...rows].sort(inOrder), columns: [...columns].sort(inOrder) };
}

function pivotCaption(metric, measures, choice) {
  const mean = `mean of runs' ${metric.percentile ? metric.id : metric.title}`, names = [...new Set(measures.map((measure) => measure.latencyName).filter(Boolean))];
  const of = metric.unit === "ns" && names.length ? ` (${names.join(" and ")}${names.length > 1 ? ": they mean different things" : ""})` : "";
  return `${mean}${of}, in ${metric.unit}, by ${choice.row}${choice.column === ONE_COLUMN ? "" : ` and ${choice.column}`}`;
}

function pivotTable(measures, choice) {
  const metric = METRICS.find((one) => one.id === choice.metric), kinds = new Set(measures.map((measure) => measure.of));
  const single = [choice.row, choice.column].includes("direction") && ![...kinds].some((of) => of.includes(" "));
  const { cells, rows, columns } = cellsOf(measures, choice.row, choice.column, kinds.size > 1 && !single), body = [];
  for (const row of rows) {
    const line = [row];
    for (const column of columns) {
      const values = knownOf((cells.get(JSON.stringify([row, column])) || []).map(metric.of)), value = meanOf(values);
      line.push({ value, text: metricText(metric, value) }, { value: values.length, text: String(values.length) });
    }
    body.push(line);
  }
  const heads = [choice.row, ...columns.flatMap((column) => [column || metric.id, column ? `n (${column})` : "n"])];
  return { caption: pivotCaption(metric, measures, choice), heads, rows: body, file: "pivot" };
}

function chooser(bar, title, options, chosen, change) {
  const held = element("span"), label = element("label", title), select = element("select");
  select.id = label.htmlFor = `pivot-${title}`;
  for (const [value, text] of options) {
    const option = element("option", text);
    option.value = value;
    option.selected = value === chosen;
    select.append(option);
  }
  select.addEventListener("change", () => change(select.value));
  held.append(label, " ", select);
  bar.append(held);
}

const pivotChoice = { row: "file", column: "direction", metric: "iops" };
// The choosers are not replaced when the table changes, so that they keep the keyboard focus.
function showPivot(holder, measures) {
  const names = parameterNames(measures), bar = element("div", "", "choices"), place = element("div");
  const draw = () => { place.replaceChildren(); addTable(place, pivotTable(measures, pivotChoice)); };
  if (!names.includes(pivotChoice.row)) pivotChoice.row = "file";
  if (!names.includes(pivotChoice.column)) pivotChoice.column = ONE_COLUMN;
  chooser(bar, "Rows", names.map((name) => [name, name]), pivotChoice.row, (value) => { pivotChoice.row = value; draw(); });
  chooser(bar, "Columns", [ONE_COLUMN, ...names].map((name) => [name, name]), pivotChoice.column, (value) => { pivotChoice.column = value; draw(); });
  chooser(bar, "Cells", METRICS.map((metric) => [metric.id, metric.title]), pivotChoice.metric, (value) => { pivotChoice.metric = value; draw(); });
  holder.append(bar, place);
  draw();
}
