// A figure: a title, buttons that are usable by keyboard, and a plot. The plot is drawn again after each change of
// zoom, size, colors or paper. The row of a figure's kind determines its content: { plot, title, make, xName, yName,
// xText, yText, xLog, yLog, yRange, bars, heat, steps, points, time, toggle, csvName, csvX, marks; stack or dots, and rows }.
// `make` turns a source (a result and a part of it) into lines, { name, of, x: [], y: [], low: [], high: [] }, or into
// an empty list. No data leaves the page. A file is written only if a button requests it.
const started = performance.now();
const FIRST_FIGURES = 2;  // drawn before the browser knows which ones are visible
const figures = [];
window.fathomDraws = 0;

// Seconds from the elapsed time to the clock of the plot.
function timeMoved({ kind, source }) {
  const clock = kind.time && wallClock ? clockOf(source) : null;
  return clock ? clock.start_s : 0;
}

function dataOf(state) {
  const { kind, lines } = state, moved = timeMoved(state);
  if (state.rows) return [state.rows.map((name, row) => row), ...lines.map((line) => line.y)];
  if (kind.heat) return [heatMiddles(state).map((x) => x + moved), lines[0].x.map(() => lines[0].from)];
  return uPlot.join(lines.map((line) => [moved ? line.x.map((x) => x + moved) : line.x, line.y]));
}

// An entry of the legend has a value only at the cursor. Without one, there is neither a colon nor a dash.
function tidyLegend(u) {
  const shown = u.cursor.idx != null && u.cursor.left >= 0;
  for (const row of u.root.querySelectorAll(".u-legend .u-series")) {
    const value = row.querySelector(".u-value");
    row.classList.toggle("no-value", !shown || !value || ["", "--"].includes(value.textContent));
  }
}

function draw(state) {
  if (state.plot) state.plot.destroy();
  const width = Math.max(280, state.holder.clientWidth || 800);
  const hooks = {
    ready: [tidyLegend],
    setLegend: [tidyLegend],
    setSelect: [(u) => { if (!state.rows && u.select.width > 2) zoomTo(state, u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")); }],
    draw: [(u) => {
      if (state.kind.heat) drawHeat(u, state);
      else if (!state.rows) drawOver(u, state);
      else if (state.kind.dots) drawDots(u, state);
      else drawNames(u, state);
      window.fathomDrawn_ms = performance.now() - started;
      ++window.fathomDraws;
    }],
  };
  const options = state.kind.heat ? heatOptions : state.rows ? rowOptions : optionsOf;
  state.plot = new uPlot(options(state, width, hooks), dataOf(state), state.canvas);
}

function zoomTo(state, low, high) {
  state.zoom = [Math.min(low, high), Math.max(low, high)];
  draw(state);
}

function drawn(state) {
  if (!state.plot) doNow(state.holder);
  return state.plot;
}

function zoomBy(state, factor) {
  const { min, max } = drawn(state).scales.x;
  if (state.kind.xLog) {
    const middle = Math.sqrt(min * max), half = Math.sqrt(max / min) ** factor;
    zoomTo(state, middle / half, middle * half);
  } else {
    const middle = (min + max) / 2, half = ((max - min) / 2) * factor;
    zoomTo(state, middle - half, middle + half);
  }
}

// The point that an arrow leads to; step 0: the one at the cursor.
function nextIndex(u, step) {
  const { min, max } = u.scales.x, [xs] = u.data, first = xs.findIndex((x) => x >= min), last = xs.findLastIndex((x) => x <= max);
  if (u.cursor.idx == null || u.cursor.left < 0) return step >= 0 ? first : last;
  return Math.min(Math.max(u.cursor.idx + step, first), last);
}

// Arrows move the cursor from point to point, in a heat map also from band to band. With Shift, they move the visible
// range by a tenth of its width.
function onKey(state, event) {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key], across = event.key === "ArrowLeft" || event.key === "ArrowRight", { heat } = state.kind;
  if (!step || (!heat && across === Boolean(state.rows)) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const u = drawn(state);
  if (event.shiftKey && across && !state.rows) return panBy(state, 0.1 * step);
  const index = nextIndex(u, heat && !across ? 0 : step), at = u.valToPos(u.data[0][index], "x");
  if (heat) state.band = state.band === undefined ? fullestBand(state) : Math.min(Math.max(state.band - (across ? 0 : step), 0), state.lines.length - 1);
  const top = heat ? u.valToPos(Math.sqrt(state.lines[state.band].from * state.lines[state.band].to), "y") : u.over.clientHeight / 2;
  u.setCursor(state.rows ? { left: u.over.clientWidth / 2, top: at } : { left: at, top }, true, true);
  state.readout.textContent = heat ? heatText(state, index, state.band) : readoutOf(state, u, index);
}

// A position on the x axis, by the clock of the plot.
function positionText({ kind, source }, x) {
  const clock = kind.time && wallClock ? clockOf(source) : null;
  return clock ? `${clock.name} ${clock.text(x)}` : `${kind.xName} ${kind.xText(x)}`;
}

// The values at the cursor, for screen readers.
function readoutOf(state, u, index) {
  const { kind, lines, rows } = state, x = u.data[0][index], values = lines.map((line, i) => [line.name, u.data[i + 1][index]]).filter(([, value]) => value != null);
  return [rows ? rows[x] : positionText(state, x), ...values.map(([name, value]) => `${name} ${kind.yText(value)}`)].join("; ");
}

function panBy(state, part) {
  const { min, max } = state.plot.scales.x;
  if (state.kind.xLog) zoomTo(state, min * (max / min) ** part, max * (max / min) ** part);
  else zoomTo(state, min + (max - min) * part, max + (max - min) * part);
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The values as drawn, except that histograms have counts, and time is always the elapsed time. An interval has two
// columns.
function csvOf({ kind, lines, rows }) {
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const columns = lines.flatMap((line) => [[line.name, (line.sheet || line).y, (line.sheet || line).x], ...(line.low ? [[`${line.name} low`, line.low, line.x], [`${line.name} high`, line.high, line.x]] : [])]);
  const data = rows ? [rows.map(quoted), ...columns.map(([, y]) => y)] : uPlot.join(columns.map(([, y, x]) => [x, y]));
  const out = [[kind.csvName, ...columns.map(([name]) => name)].map(quoted).join(",")];
  for (let i = 0; i < data[0].length; ++i) out.push(data.map((column, c) => (column[i] == null ? "" : c === 0 && kind.csvX ? kind.csvX(column[i]) : column[i])).join(","));
  return `${out.join("\n")}\n`;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function button(bar, text, action) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", action);
  bar.append(made);
  return made;
}

function toggle(bar, text, pressed, action) {
  const made = button(bar, text, () => made.setAttribute("aria-pressed", String(action())));
  made.setAttribute("aria-pressed", String(pressed));
  return made;
}

// A name for a file, with the source and its start: "randread-histogram-2026-11-30-084411".
function stemOf(name, start_ms, utc_offset_s) {
  const begun = start_ms == null ? "" : `-${new Date(start_ms + (utc_offset_s || 0) * 1000).toISOString().slice(0, 19).replace("T", "-").replaceAll(":", "")}`;
  return `${String(name).replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60)}${begun}`;
}
const fileName = ({ kind, source }) => stemOf(`${String(source.name).slice(0, 40)} ${kind.plot}`, source.start_ms, source.utc_offset_s);

function buttonsOf(state) {
  const bar = element("div", "", "bar"), { kind } = state;
  if (kind.toggle) toggle(bar, kind.toggle, state.pressed, () => { state.pressed = !state.pressed; draw(state); return state.pressed; });
  if (kind.time && clockOf(state.source)) toggle(bar, "Wall clock", wallClock, () => { showClock(!wallClock); return wallClock; }).classList.add("clock");
  if (!state.rows) {
    button(bar, "Zoom in", () => zoomBy(state, 0.5));
    button(bar, "Zoom out", () => zoomBy(state, 2));
    button(bar, "Whole", () => { state.zoom = null; draw(state); });
  }
  button(bar, "CSV", () => save(`${fileName(state)}.csv`, new Blob([csvOf(state)], { type: "text/csv" })));
  button(bar, "PNG", () => drawn(state).ctx.canvas.toBlob((blob) => save(`${fileName(state)}.png`, blob)));
  return bar;
}

function stateOf(kind, source) {
  const rows = kind.rows ? kind.rows(source) : null;
  const lines = kind.make(source).filter((line) => (rows ? line.y.some((value) => value != null) : line.x.length));
  return lines.length ? { kind, source, rows, lines, marks: kind.marks ? kind.marks(source) : [], zoom: null, pressed: kind.pressed !== false, plot: null } : null;
}

// Adds the figure of a kind to its parent. A source without data of this kind gets no figure. If one figure cannot be
// drawn, the others are not affected.
function addFigure(parent, kind, source) {
  const holder = element("div", "", "figure"), canvas = element("div", "", "plot");
  try {
    const state = stateOf(kind, source);
    if (!state) return;
    const readout = element("p", "", "readout");
    readout.setAttribute("aria-live", "polite");
    Object.assign(state, { holder, canvas, readout });
    const below = kind.heat ? [element("p", "", "legend"), element("p", "", "values")] : [];
    [state.legend, state.values] = below;
    const title = source.title ? `${kind.title}: ${source.title}` : kind.title;
    holder.dataset.plot = kind.plot;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `${title}; of ${source.name}; arrow keys move the cursor; the tables and the text of the report have its numbers`);
    canvas.tabIndex = 0;
    canvas.addEventListener("keydown", (event) => onKey(state, event));
    holder.append(element("h4", title), buttonsOf(state), canvas, ...below, readout);
    parent.append(holder);
    figures.push(state);
    if (figures.length <= FIRST_FIGURES) draw(state);
    else whenNear(holder, () => draw(state));
  } catch (error) {
    console.error(error);
    holder.remove();
  }
}

const shownFigures = () => figures.filter((state) => state.holder.isConnected);
const redraw = () => shownFigures().filter((state) => state.plot).forEach(draw);
