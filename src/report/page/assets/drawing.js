// Axes and lines as uPlot draws them (third_party/uplot). uPlot widens a logarithmic axis to whole decades, so the limits are set here; histograms are bars, one a bucket, at the
// edges that the bucket has: a line across empty buckets would show what was never measured.
function bars(u, seriesIndex, first, last) {
  const path = new Path2D(), [xs] = u.data, ys = u.data[seriesIndex];
  const floor = u.valToPos(u.scales.y.min, "y", true);
  for (let i = first; i <= last; ++i) {
    if (ys[i] == null) continue;
    const left = u.valToPos(xs[i], "x", true), right = u.valToPos(xs[i] < 1 ? 1 : bucketOf(xs[i]).high, "x", true);
    const top = u.valToPos(ys[i], "y", true);
    path.rect(left, top, Math.max(right - left, 1), floor - top);
  }
  return { fill: path, stroke: null };
}

// Powers of ten, and of what is zoomed in 2 and 5 of each.
function powers(u, axisIndex, low, high) {
  const out = [], steps = high / low < 50 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const step of steps) if (step * 10 ** power >= low && step * 10 ** power <= high) out.push(step * 10 ** power);
  return out.length > 1 ? out : [low, high];
}
const loose = (u, low, high) => (low == null ? [1, 10] : [low / 1.05, high * 1.05]);

function axisOf(text, colours, logs) {
  return { splits: logs ? powers : undefined, filter: logs ? (u, splits) => splits : undefined, stroke: colours.text, grid: { stroke: colours.line, width: 1 }, ticks: { stroke: colours.line, width: 1 }, size: 70,
    values: (u, splits) => splits.map((value) => (value == null ? "" : text(value))) };
}

function scalesOf(state) {
  const { kind, zoom } = state, yLog = kind.toggle ? state.pressed : kind.yLog;
  const x = kind.xLog ? { time: false, distr: 3, range: (u, low, high) => zoom || loose(u, low, high) } : { time: false, range: (u, low, high) => zoom || [low, high] };
  const y = yLog ? { distr: 3, range: (u, low, high) => (kind.bars ? [0.5, Math.max(high, 1) * 1.5] : loose(u, low, high)) } : { range: (u, low, high) => [0, (high || 1) * 1.05] };
  return { x, y };
}

function lineOf(kind, line, colours) {
  const paths = line.paths || (kind.bars ? bars : kind.steps ? uPlot.paths.stepped({ align: -1 }) : undefined);
  return { label: line.name, stroke: colours[line.of], fill: kind.bars ? `${colours[line.of]}aa` : undefined, dash: DASHES[line.of], width: kind.bars ? 0 : 2, points: { show: false },
    spanGaps: !kind.bars, paths, value: (u, v) => (v == null ? "" : kind.yText(v)) };
}

function optionsOf(state, width, hooks) {
  const { kind } = state, colours = palette();
  return {
    width, height: 300, scales: scalesOf(state), cursor: { drag: { x: true, y: false, setScale: false } }, hooks,
    axes: [{ ...axisOf(kind.xText, colours, kind.xLog), size: 40 }, axisOf(kind.yText, colours, kind.toggle ? state.pressed : kind.yLog)],
    series: [{ label: kind.xName, value: (u, v) => (v == null ? "" : kind.xText(v)) }, ...state.lines.map((line) => lineOf(kind, line, colours))],
  };
}
