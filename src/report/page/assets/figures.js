// A figure: a title, buttons that the keyboard reaches, and a plot that is drawn again for each change of zoom, size, colours or paper. What a figure shows is told by the row of
// its kind: { plot, title, make, xName, xText, yText, xLog, yLog, bars, steps, toggle, csvName, csvX }; `make` turns a source (a result and what of it) into lines,
// { name, of, x: [], y: [] }, or into none. No data leaves the page; a file is written where a button asks for it.
const started = performance.now();
const figures = [];
window.fathomDraws = 0;

function draw(state) {
  if (state.plot) state.plot.destroy();
  const data = uPlot.join(state.lines.map((line) => [line.x, line.y]));
  const width = Math.max(280, state.holder.clientWidth || 800);
  const hooks = {
    setSelect: [(u) => { if (u.select.width > 2) zoomTo(state, u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")); }],
    draw: [() => { window.fathomDrawn_ms = performance.now() - started; ++window.fathomDraws; }],
  };
  state.plot = new uPlot(optionsOf(state, width, hooks), data, state.canvas);
}

function zoomTo(state, low, high) {
  state.zoom = [Math.min(low, high), Math.max(low, high)];
  draw(state);
}

function zoomBy(state, factor) {
  const { min, max } = state.plot.scales.x;
  if (state.kind.xLog) {
    const middle = Math.sqrt(min * max), half = Math.sqrt(max / min) ** factor;
    zoomTo(state, middle / half, middle * half);
  } else {
    const middle = (min + max) / 2, half = ((max - min) / 2) * factor;
    zoomTo(state, middle - half, middle + half);
  }
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function csvOf({ kind, lines }) {
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const rows = [[kind.csvName, ...lines.map((line) => line.name)].map(quoted).join(",")];
  const data = uPlot.join(lines.map((line) => [line.x, line.y]));
  for (let i = 0; i < data[0].length; ++i) rows.push(data.map((column, c) => (column[i] == null ? "" : c === 0 && kind.csvX ? kind.csvX(column[i]) : column[i])).join(","));
  return `${rows.join("\n")}\n`;
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

function buttonsOf(state) {
  const bar = element("div", "", "bar"), { kind } = state;
  if (kind.toggle) {
    const toggle = button(bar, kind.toggle, () => { state.pressed = !state.pressed; toggle.setAttribute("aria-pressed", String(state.pressed)); draw(state); });
    toggle.setAttribute("aria-pressed", String(state.pressed));
  }
  button(bar, "Zoom in", () => zoomBy(state, 0.5));
  button(bar, "Zoom out", () => zoomBy(state, 2));
  button(bar, "Whole", () => { state.zoom = null; draw(state); });
  button(bar, "CSV", () => save(`${kind.plot}.csv`, new Blob([csvOf(state)], { type: "text/csv" })));
  button(bar, "PNG", () => state.plot.ctx.canvas.toBlob((blob) => save(`${kind.plot}.png`, blob)));
  return bar;
}

// Adds the figure of a kind to what holds it; a source that has nothing of the kind gets none. One figure that cannot be drawn costs no other.
function addFigure(parent, kind, source) {
  const holder = element("div", "", "figure"), canvas = element("div");
  try {
    const lines = kind.make(source).filter((line) => line.x.length);
    if (!lines.length) return;
    const state = { holder, kind, lines, canvas, zoom: null, pressed: true, plot: null };
    holder.dataset.plot = kind.plot;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${kind.title} of ${source.name}; the tables have its numbers`);
    holder.append(element("h4", kind.title), buttonsOf(state), canvas);
    parent.append(holder);
    draw(state);
    figures.push(state);
  } catch (error) {
    console.error(error);
    holder.remove();
  }
}

const redraw = () => figures.filter((state) => state.holder.isConnected).forEach(draw);
