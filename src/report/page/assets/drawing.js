// Axes and lines for uPlot (third_party/uplot). uPlot extends a logarithmic axis to whole decades, so the limits are
// set here. Histograms are bars, one per bucket, at the edges of the bucket. A line across empty buckets would show
// values that were never measured.
function barsOf({ ends }) {
  return (u, seriesIndex, first, last) => {
    const path = new Path2D(), [xs] = u.data, ys = u.data[seriesIndex];
    const floor = u.valToPos(u.scales.y.min, "y", true);
    for (let i = first; i <= last; ++i) {
      if (ys[i] == null) continue;
      const left = u.valToPos(xs[i], "x", true), right = u.valToPos(ends.get(xs[i]), "x", true);
      const top = u.valToPos(ys[i], "y", true);
      path.rect(left, top, Math.max(right - left, 1), floor - top);
    }
    return { fill: path, stroke: null };
  };
}

function powersBy(steps, low, high) {
  const out = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const step of steps) if (step * 10 ** power >= low && step * 10 ** power <= high) out.push(step * 10 ** power);
  return out;
}
// Powers of ten. An axis with fewer than three of them also has 2 and 5 of each.
function powers(u, axisIndex, low, high) {
  const whole = powersBy([1], low, high), out = whole.length < 3 ? powersBy([1, 2, 5], low, high) : whole;
  return out.length > 1 ? out : [low, high];
}
const loose = (u, low, high) => (low == null ? [1, 10] : [low / 1.05, high * 1.05]);
// As many labels as fit: every n-th one, from the first on.
function fitting(u, splits, axisIndex) {
  const room = u.axes[axisIndex].side % 2 === 0 ? u.bbox.width / devicePixelRatio / 70 : u.bbox.height / devicePixelRatio / 22;
  const every = Math.ceil(splits.length / Math.max(room, 1));
  return splits.map((value, i) => (i % every === 0 ? value : null));
}

const BINARY_STEPS = Array.from({ length: 60 }, (none, power) => 2 ** power);

function axisOf(name, text, logs) {
  const colours = palette(), line = { stroke: colours.line, width: 1 }, font = "12px system-ui, sans-serif";
  const width = (values) => Math.max(...values.map((value) => value.length), 5) * 7.6 + 16;
  return { splits: logs ? powers : undefined, filter: logs ? fitting : undefined, stroke: colours.text, grid: line, ticks: line, font, labelFont: font, label: name, labelSize: 26,
    size: (u, values) => (values ? width(values) : 54), values: (u, splits) => splits.map((value) => (value == null ? "" : text(value))) };
}

function rangeOfY(state) {
  const { kind } = state;
  if (kind.yRange) return () => kind.yRange;
  const least = Math.min(...state.lines.flatMap((line) => line.y.filter((value) => value > 0)));
  if (yLogOf(state) && kind.bars) return (u, low, high) => [least / 2, Math.max(high, least) * 1.5];
  if (yLogOf(state)) return (u, low, high) => loose(u, ...withMarks(state, "y", low, high));
  return (u, low, high) => [0, (withMarks(state, "y", low, high)[1] || 1) * 1.05];
}

const yLogOf = ({ kind, pressed }) => (kind.toggle ? pressed : Boolean(kind.yLog));

// The range includes the marks, and the last bucket up to its end.
function withMarks(state, axis, low, high) {
  const at = state.marks.filter((mark) => mark.axis === axis).flatMap((mark) => [mark.from, mark.to === undefined ? mark.from : mark.to]);
  if (axis === "y") for (const line of state.lines) at.push(...(line.low || []), ...(line.high || []));
  else for (const line of state.lines) if (line.ends) at.push(Math.max(...line.ends.values()));
  const known = at.filter((value) => value != null && value > 0);
  return low == null ? [low, high] : [Math.min(low, ...known), Math.max(high, ...known)];
}

function scalesOf(state) {
  const { kind, zoom } = state;
  const rangeX = (u, low, high) => zoom || (kind.xLog ? loose(u, ...withMarks(state, "x", low, high)) : [low, high]);
  return { x: { time: false, distr: kind.xLog ? 3 : 1, range: rangeX }, y: { distr: yLogOf(state) ? 3 : 1, range: rangeOfY(state) } };
}

const dashOf = (line) => toneOf(line.dash === undefined ? line.of : line.dash);
// A border in the legend, by its CSS name.
const markerOf = (line) => ["solid", "dashed", "dotted"][dashOf(line)] || "double";

function lineOf(kind, line) {
  const paths = line.paths || (kind.bars ? barsOf(line) : kind.steps ? uPlot.paths.stepped({ align: kind.steps }) : undefined);
  const colour = colourOf(line.of);
  const dash = DASHES[dashOf(line)], points = { show: Boolean(kind.points), size: 7, fill: colour };
  return { label: line.name, stroke: colour, fill: kind.bars ? `${colour}88` : undefined, dash, width: kind.bars ? 0 : 2, points, spanGaps: !kind.bars && !kind.time, paths,
    value: (u, v) => (v == null ? "" : kind.yText(v)) };
}

function addPiece(ctx, [fromX, fromY, toX, toY]) {
  ctx.moveTo(fromX, fromY);
  ctx.lineTo(toX, toY);
}

// Draws the interval of a point as a whisker.
function drawWhiskers(u, { lines }) {
  const { ctx } = u, cap = 4 * devicePixelRatio;
  ctx.setLineDash([]);
  lines.forEach((line) => {
    if (!line.low) return;
    ctx.beginPath();
    line.x.forEach((x, i) => {
      if (line.low[i] == null || x < u.scales.x.min || x > u.scales.x.max) return;
      const at = u.valToPos(x, "x", true), low = u.valToPos(line.low[i], "y", true), high = u.valToPos(line.high[i], "y", true);
      for (const piece of [[at, low, at, high], [at - cap, low, at + cap, low], [at - cap, high, at + cap, high]]) addPiece(ctx, piece);
    });
    ctx.strokeStyle = colourOf(line.of);
    ctx.lineWidth = devicePixelRatio;
    ctx.stroke();
  });
}

// The outline keeps the name readable over lines.
function nameMark(u, mark, index) {
  const { ctx, bbox } = u, at = u.valToPos(mark.from, mark.axis, true);
  const pixel = devicePixelRatio, isX = mark.axis === "x", left = isX && at > bbox.left + bbox.width / 2, { text, back } = palette();
  ctx.font = `${12 * pixel}px system-ui, sans-serif`;
  ctx.textAlign = left ? "right" : "left";
  ctx.textBaseline = isX ? "top" : "bottom";
  const place = isX ? [at + (left ? -5 : 5) * pixel, bbox.top + (4 + 16 * index) * pixel] : [bbox.left + 6 * pixel, at - 4 * pixel];
  ctx.strokeStyle = back;
  ctx.lineWidth = 4 * pixel;
  ctx.strokeText(mark.name, ...place);
  ctx.fillStyle = text;
  ctx.fillText(mark.name, ...place);
}

// Draws a limit or a position as a line, or as a band if `to` is given. nameMark() adds its name.
function drawMark(u, mark) {
  const { ctx, bbox } = u, isX = mark.axis === "x", pos = (value) => u.valToPos(value, mark.axis, true), from = pos(mark.from), to = mark.to === undefined ? from : pos(mark.to);
  const pixel = devicePixelRatio;
  ctx.globalAlpha = 0.18;
  ctx.fillStyle = colourOf(mark.of);
  if (isX) ctx.fillRect(from, bbox.top, to - from, bbox.height); else ctx.fillRect(bbox.left, to, bbox.width, from - to);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colourOf(mark.of);
  ctx.setLineDash(DASHES[toneOf(mark.of)].map((length) => length * pixel));
  ctx.lineWidth = 1.5 * pixel;
  ctx.beginPath();
  for (const at of mark.to === undefined ? [from] : [from, to]) {
    if (isX) { ctx.moveTo(at, bbox.top); ctx.lineTo(at, bbox.top + bbox.height); } else { ctx.moveTo(bbox.left, at); ctx.lineTo(bbox.left + bbox.width, at); }
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawOver(u, state) {
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  drawWhiskers(u, state);
  state.marks.forEach((mark) => drawMark(u, mark));
  state.marks.forEach((mark, index) => nameMark(u, mark, index));
  u.ctx.restore();
}

function optionsOf(state, width, hooks) {
  const { kind } = state, clock = kind.time && wallClock ? clockOf(state.source) : null;
  const xText = clock ? clock.text : kind.xText, xName = clock ? clock.name : kind.xName;
  return {
    width, height: 320, scales: scalesOf(state), hooks, padding: [null, clock ? 36 : null, null, null],
    legend: { markers: { dash: (u, i) => (i > 0 && !kind.bars ? markerOf(state.lines[i - 1]) : "solid") } },
    cursor: { drag: { x: true, y: false, setScale: false }, ...(kind.time ? { sync: { key: "time", setSeries: false } } : {}) },
    axes: [{ ...axisOf(xName, clock ? clock.tick : xText, kind.xLog), size: 36, labelSize: 20, ...(kind.xLog ? {} : { space: clock ? 90 : 70 }),
      ...(clock ? { incrs: clock.steps } : {}) }, { ...axisOf(kind.yName, kind.yText, yLogOf(state)), ...([bytesText, byteRateText].includes(kind.yText) ? { incrs: BINARY_STEPS } : {}) }],
    series: [{ label: xName, value: (u, v) => (v == null ? "" : xText(v)) }, ...state.lines.map((line) => lineOf(kind, line))],
  };
}
