// Plots of a few named items. Each has a horizontal row, so that a name has space on a small screen too. There are two
// kinds. Bars are stacked from the left (`stack`; of lines { name, of, y: [one per row] }). Dots have their interval
// (`dots`), and may be on both sides of 0. The x axis of uPlot is the row, drawn downwards. With more than 12 rows,
// each row is lower.
const rowHeight = ({ rows }) => (rows.length > 12 ? 20 : 38);

function stackedBefore(lines, upTo, row) {
  let sum = 0;
  for (let i = 0; i < upTo; ++i) sum += lines[i].y[row] || 0;
  return sum;
}

function rowPaths(state) {
  return (u, seriesIndex) => {
    const path = new Path2D(), line = state.lines[seriesIndex - 1], half = 0.32 * rowHeight(state) * devicePixelRatio;
    state.rows.forEach((name, row) => {
      const value = line.y[row];
      if (value == null || value <= 0) return;
      const before = stackedBefore(state.lines, seriesIndex - 1, row), left = u.valToPos(before, "y", true), right = u.valToPos(before + value, "y", true);
      path.rect(left, u.valToPos(row, "x", true) - half, Math.max(right - left, 1), 2 * half);
    });
    return { fill: path, stroke: path };
  };
}

// The name is in the bar if it fits, because color alone does not identify a bar.
function drawNames(u, state) {
  const { ctx } = u;
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = palette().back;
  state.lines.forEach((line, index) => state.rows.forEach((name, row) => {
    if (!line.y[row]) return;
    const before = stackedBefore(state.lines, index, row), left = u.valToPos(before, "y", true), right = u.valToPos(before + line.y[row], "y", true);
    for (const text of [`${line.name} ${state.kind.yText(line.y[row])}`, line.name])
      if (ctx.measureText(text).width + 8 * devicePixelRatio < right - left) { ctx.fillText(text, (left + right) / 2, u.valToPos(row, "x", true)); break; }
  }));
}

function drawZero(u) {
  const { ctx } = u, zero = u.valToPos(0, "y", true);
  ctx.strokeStyle = palette().text;
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(zero, u.bbox.top);
  ctx.lineTo(zero, u.bbox.top + u.bbox.height);
  ctx.stroke();
}

function drawWhisker(u, line, row, at) {
  const { ctx } = u, low = u.valToPos(line.low[row], "y", true), high = u.valToPos(line.high[row], "y", true), cap = 4 * devicePixelRatio;
  ctx.beginPath();
  for (const piece of [[low, at, high, at], [low, at - cap, low, at + cap], [high, at - cap, high, at + cap]]) addPiece(ctx, piece);
  ctx.stroke();
}

// Several dots of a row are below each other, in the order of the legend.
function drawDots(u, state) {
  const { ctx } = u, pixel = devicePixelRatio;
  if (!state.kind.yLog) drawZero(u);
  state.lines.forEach((line, index) => {
    ctx.strokeStyle = ctx.fillStyle = colourOf(line.of);
    ctx.lineWidth = 2 * pixel;
    state.rows.forEach((name, row) => {
      if (line.y[row] == null) return;
      const beside = (index - (state.lines.length - 1) / 2) * Math.min(10, 30 / state.lines.length) * pixel;
      const at = u.valToPos(row, "x", true) + beside, x = u.valToPos(line.y[row], "y", true);
      if (line.low) drawWhisker(u, line, row, at);
      ctx.beginPath();
      ctx.arc(x, at, 4 * pixel, 0, 2 * Math.PI);
      ctx.fill();
    });
  });
}

function rowRange(state) {
  if (state.kind.dots) {
    const all = state.lines.flatMap((line) => [...line.y, ...(line.low || []), ...(line.high || [])]).filter((value) => value != null);
    if (state.kind.yLog) return [Math.min(...all) / 1.3, Math.max(...all) * 1.3];
    const low = Math.min(0, ...all), high = Math.max(0, ...all), room = (high - low || 1) * 0.05;
    return [low - room, high + room];
  }
  if (state.kind.yRange) return state.kind.yRange;
  const last = state.lines.length;
  return [0, Math.max(...state.rows.map((name, row) => stackedBefore(state.lines, last, row) * 1.02), state.kind.yLeast || 1e-9)];
}

function rowOptions(state, width, hooks) {
  const { kind, rows, lines } = state, longest = Math.max(...rows.map((name) => name.length));
  const rowName = (value) => (Number.isInteger(value) && value >= 0 && value < rows.length ? rows[value] : "");
  const room = Math.min(longest * 7 + 18, width * 0.4), most = Math.floor((room - 18) / 7);
  const shortName = (value) => (rowName(value).length > most ? `${rowName(value).slice(0, most - 1)}…` : rowName(value));
  const paths = kind.dots ? () => null : rowPaths(state);
  return {
    width, height: rows.length * rowHeight(state) + 62, hooks, cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false, ori: 1, dir: -1, range: [-0.5, rows.length - 0.5] }, y: { ori: 0, dir: 1, distr: kind.yLog ? 3 : 1, range: () => rowRange(state) } },
    axes: [{ ...axisOf(undefined, shortName), scale: "x", side: 3, size: room, grid: { ...axisOf().grid, show: Boolean(kind.dots) },
      splits: rows.map((name, row) => row) },
      { ...axisOf(kind.yName, kind.yText, kind.yLog), scale: "y", side: 2, size: 36, labelSize: 20, space: 70 }],
    series: [{ label: kind.xName, value: (u, v) => (v == null ? "" : rowName(v)) }, ...lines.map((line) => ({ label: line.name, stroke: palette().back, fill: colourOf(line.of),
      width: 1, points: { show: false }, paths, value: (u, v) => (v == null ? "" : kind.yText(v)) }))],
    legend: { markers: { fill: (u, i) => (i > 0 ? colourOf(lines[i - 1].of) : null) } },
  };
}
