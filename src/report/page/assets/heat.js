// Heat maps: how many I/Os of each interval had which latency. A column is an interval, a row a band of latencies, a
// quarter of an octave (`series_bands` of a result). Percentiles of intervals show where the tail is; a heat map also
// shows whether the latencies have two modes, and when (Gregg, "Visualizing system latency", 2010). The shades are steps
// of equal ratio, because a count of 3 next to 3,000 is what a reader looks for. The lines of a figure are its bands.
const HEAT_STEPS = 6;

function heatLines({ job }, of) {
  const direction = job[of], bands = (hasSeries(direction) && direction.series_bands) || [], points = direction ? direction.series : [];
  return bands.filter((band) => Array.isArray(band.counts) && band.counts.length === points.length).map(({ from_ns, to_ns, counts }) => ({ name: `${nsText(from_ns)} to ${nsText(to_ns)}`, of,
    x: points.map((p) => p.time_ms / 1000), width: points.map((p) => p.interval_ms / 1000), y: counts, from: from_ns || 0.5, to: to_ns }));
}

// Steps of counts that occur, rising: { from, to, alpha }.
function heatSteps(lines) {
  const counts = lines.flatMap((line) => line.y).filter((count) => count > 0), most = counts.reduce((all, count) => Math.max(all, count), 1);
  const begins = [...new Set(Array.from({ length: HEAT_STEPS }, (none, i) => Math.ceil(most ** (i / HEAT_STEPS))))];
  return begins.map((from, i) => ({ from, to: i + 1 < begins.length ? begins[i + 1] - 1 : most, alpha: 0.12 + (0.88 * (i + 1)) / begins.length }))
    .filter(({ from, to }) => counts.some((count) => count >= from && count <= to));
}
const stepOf = (steps, count) => steps.find(({ from, to }) => count >= from && count <= to);

// The middle of an interval, where its column is; the text has its end, as in other plots.
const heatMiddles = ({ lines: [{ x, width }] }) => x.map((end, i) => end - width[i] / 2);

function drawHeat(u, state) {
  const { ctx } = u, { lines } = state, [{ x, width, of }] = lines, moved = timeMoved(state);
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  ctx.fillStyle = colourOf(of);
  const pixel = (value, axis) => Math.round(u.valToPos(value, axis, true));  // whole ones, so that no seam is between cells
  const edges = x.map((end, i) => [pixel(end - width[i] + moved, "x"), pixel(end + moved, "x")]);
  for (const line of lines) {
    const bottom = pixel(line.from, "y"), top = pixel(line.to, "y");
    line.y.forEach((count, i) => {
      if (!count) return;
      ctx.globalAlpha = stepOf(state.steps, count).alpha;
      ctx.fillRect(edges[i][0], top, Math.max(edges[i][1] - edges[i][0], 1), Math.max(bottom - top, 1));
    });
  }
  ctx.restore();
}

// The band with this latency; a gap between bands has no I/Os.
const bandAt = ({ lines }, ns) => lines.findIndex((line) => ns >= line.from && ns < line.to);
const fullestBand = ({ lines }) => lines.reduce((best, line, i) => { const sum = line.y.reduce((all, count) => all + count, 0); return sum > best.sum ? { i, sum } : best; }, { i: 0, sum: -1 }).i;

function heatText(state, index, band) {
  const { lines } = state, when = positionText(state, lines[0].x[index] + timeMoved(state)), all = lines.reduce((sum, line) => sum + line.y[index], 0);
  if (band < 0) return `${when}; no I/Os of this latency; ${all} in the interval`;
  const count = lines[band].y[index];
  return `${when}; ${lines[band].name}: ${count} I/O${count === 1 ? "" : "s"}${all > 0 ? `, ${percentText((100 * count) / all)} of the interval` : ""}`;
}

// For the pointer; keys also change the live region.
function showHeatValues(u, state) {
  const { idx, left, top } = u.cursor;
  state.values.textContent = idx == null || left < 0 ? "" : heatText(state, idx, bandAt(state, u.posToVal(top, "y")));
}

function heatLegend(state) {
  const items = state.steps.map(({ from, to, alpha }) => {
    const item = element("span"), shade = element("i", "", "shade");
    shade.style.background = colourOf(state.lines[0].of) + Math.round(255 * alpha).toString(16).padStart(2, "0");
    item.append(shade, from === to ? countText(from) : `${countText(from)} to ${countText(to)}`);
    return item;
  });
  state.legend.replaceChildren(element("span", "I/Os per interval and band:"), ...items);
}

function heatOptions(state, width, hooks) {
  const options = optionsOf({ ...state, lines: [] }, width, hooks), { lines } = state, [{ x, width: widths, of }] = lines, moved = timeMoved(state), last = x.length - 1;
  state.steps ??= heatSteps(lines);
  heatLegend(state);
  options.scales.x.range = () => state.zoom || [x[0] - widths[0] + moved, x[last] + moved];
  options.scales.y = { distr: 3, range: () => [lines[0].from, lines[lines.length - 1].to] };
  options.series.push({ label: `${of} latency`, paths: () => null, points: { show: false } });
  options.legend = { show: false };
  options.cursor = { ...options.cursor, points: { show: false } };
  options.hooks = { ...hooks, setCursor: [(u) => showHeatValues(u, state)] };
  return options;
}

function heatKinds(prefix, whose) {
  return DIRECTIONS.map((of) => timeKind({ plot: `${prefix}heat-${of}`, title: `Latency of ${of}s over time${whose}, all I/Os`, heat: true, make: (source) => heatLines(source, of), yText: nsText,
    yName: "latency", yLog: true }));
}
