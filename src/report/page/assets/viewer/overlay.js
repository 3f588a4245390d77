// Ticked results on common axes. Bars would hide each other, so a histogram is an outline. Its height is the share of
// samples per octave. So shapes are comparable if buckets differ in width, or runs in length. There are eight buckets
// per octave, which the edges of all layouts permit, or wider ones. Lines end at an empty bucket.
const MOST_LINES = 24;

function drawnBins(latency) {
  const drawn = new Map();
  for (const [ns, count] of orderedBins(latency.histogram_ns)) {
    const { low, high } = edgesOf(latency, ns), width = Math.max(high - low, low < 8 ? 1 : 2 ** (octaveOf(low) - 3)), begin = Math.floor(low / width) * width;
    const bin = drawn.get(begin) || { low: begin, high: begin + width, count: 0 };
    bin.count += count;
    drawn.set(begin, bin);
  }
  return [...drawn.values()];
}

function outlineOf(measure, of) {
  const { latency } = measure, total = totalOf(latency.histogram_ns), line = { name: `${labelOf(measure)} ${measure.latencyName}`, of, x: [], y: [], ends: new Map() };
  for (const { low, high, count } of drawnBins(latency)) {
    const begin = low || 0.5;
    line.x.push(begin);
    line.y.push((100 * count) / total / Math.log2(high / begin));
    line.ends.set(begin, high);
  }
  return line;
}

function outlinePath(line) {
  return (u, seriesIndex, first, last) => {
    const path = new Path2D(), ys = u.data[seriesIndex], floor = u.valToPos(u.scales.y.min, "y", true);
    let end = null;
    for (let i = first; i <= last; ++i) {
      if (ys[i] == null) continue;
      const begin = u.data[0][i], left = u.valToPos(begin, "x", true), top = u.valToPos(ys[i], "y", true);
      if (begin !== end) {
        if (end !== null) path.lineTo(u.valToPos(end, "x", true), floor);
        path.moveTo(left, floor);
      }
      path.lineTo(left, top);
      end = line.ends.get(begin);
      path.lineTo(u.valToPos(end, "x", true), top);
    }
    if (end !== null) path.lineTo(u.valToPos(end, "x", true), floor);
    return { stroke: path, fill: null };
  };
}

// For a latency without a histogram, the percentiles in its file.
function percentileLineOf(measure, of) {
  const name = `${labelOf(measure)} ${measure.latencyName}`, { latency } = measure;
  if (latency.histogram_ns) return percentilesOf({ of, name, latency });
  const stored = Object.entries(latency.percentiles_ns).map(([percent, ns]) => [Number(percent), ns]).filter(([percent]) => percent < 100);
  return { name: `${name} (stored percentiles)`, of, x: stored.map(([percent]) => 100 / (100 - percent)), y: stored.map(([, ns]) => ns) };
}

function timeLineOf(measure, of, value) {
  const points = measure.series.filter((point) => point.interval_ms > 0 && value(point) != null && !Number.isNaN(value(point)));
  return { name: labelOf({ ...measure, of: measure.seriesOf || measure.of }), of, x: points.map((point) => point.time_ms / 1000), y: points.map(value) };
}
const ratePoint = (key) => (point) => (point[key] == null ? null : (point[key] * 1000) / point.interval_ms);

// 0: too few I/Os ended in the interval.
const latencyPoint = (percentile) => (point) => (point[`lat_ns_${percentile}`] > 0 ? point[`lat_ns_${percentile}`] : null);

const hasTimes = (measure) => measure.series.length > 1;

const OVERLAY_KINDS = [
  { plot: "overlay-histogram", title: "Latency, share of samples in an octave", has: (m) => m.latency && m.latency.histogram_ns, line: outlineOf, path: outlinePath, xLog: true,
    xText: nsText, yText: (share) => `${Number(share.toPrecision(3))} %`, xName: "latency", yName: "share in an octave",
    toggle: "Logarithmic shares", csvName: "latency_ns" },
  { plot: "overlay-percentiles", title: "Latency by percentile", has: (m) => m.latency && (m.latency.histogram_ns || m.latency.percentiles_ns), line: percentileLineOf, xLog: true,
    xText: nines, yText: nsText, xName: "percentile", yName: "latency", yLog: true, steps: -1, csvName: "percentile", csvX: (x) => 100 * (1 - 1 / x) },
  ...[["iops", "I/Os per second", ratePoint("ios"), countText], ["bandwidth", "Bytes per second", ratePoint("bytes"), bytesText],
    ["latency", "Mean latency of windows", (p) => p.latency_ns, nsText], ["p50", "Median latency of intervals", latencyPoint("p50"), nsText, true],
    ["p99", "p99 of latency of intervals", latencyPoint("p99"), nsText, true], ["p999", "p99.9 of latency of intervals", latencyPoint("p999"), nsText, true],
    ["accesses", "Accesses per second", ratePoint("accesses"), countText], ["minor", "Minor faults per second", ratePoint("minor"), countText],
    ["major", "Major faults per second", ratePoint("major"), countText]]
    .map(([name, title, value, yText, yLog]) => timeKind({ plot: `overlay-${name}`, title, has: hasTimes, line: (m, of) => timeLineOf(m, of, value), yText, yName: title, yLog })),
];

// Releases drawn and waiting figures anywhere in the holder.
function clearFigures(holder) {
  for (let i = figures.length - 1; i >= 0; --i)
    if (holder.contains(figures[i].holder)) {
      if (figures[i].plot) figures[i].plot.destroy();
      figures.splice(i, 1);
    }
  for (const element of [...waitingFor.keys()]) if (holder.contains(element)) forget(element);
  holder.replaceChildren();
}

function overlayFigures(holder, measures) {
  const shown = measures.slice(0, MOST_LINES);
  for (const kind of OVERLAY_KINDS)
    addFigure(holder, { ...kind, make: () => {
      const lines = shown.map((measure, i) => (kind.has(measure) ? kind.line(measure, i) : null)).filter(Boolean);
      for (const line of lines) line.dash = line.of + Math.floor(line.of / 8);  // each color occurs three times
      if (kind.path) lines.forEach((line) => { line.paths = kind.path(line); });
      return lines;
    } }, { name: "the ticked results" });
}

function overlayNote(measures) {
  const known = measures.filter((measure) => measure.latency && measure.latency.n > 0), bare = known.filter((measure) => !measure.latency.histogram_ns).length;
  const names = [...new Set(known.map((measure) => measure.latencyName))], texts = [];
  if (measures.length > MOST_LINES) texts.push(`The first ${MOST_LINES} of ${measures.length} lines are drawn; tick fewer results to see others.`);
  if (bare > 0) texts.push(`${bare} of ${known.length} latencies have no histogram.`);
  if (names.length > 1) texts.push(`Latencies of different meaning stand together: ${names.join(", ")}.`);
  return texts.join(" ");
}

// Shares of the time by latency, between thresholds of the reader. The time of a bucket is its count times its
// representative value. A bucket is entirely on one side of a threshold, as in the program's own table of long
// accesses. For concurrent I/Os, the time is the sum of their latencies, not the run time.
const BAND_UNITS = { "": 1, ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
let bandText = "1 us, 10 us, 100 us, 1 ms";

// null: not a list of times.
function thresholdsIn(text) {
  const found = text.split(",").map((one) => /^\s*(\d+(?:\.\d+)?)\s*(ns|us|ms|s|)\s*$/.exec(one));
  return found.every(Boolean) ? [...new Set(found.map(([, number, unit]) => Number(number) * BAND_UNITS[unit]))].sort((a, b) => a - b) : null;
}

function bandNames(thresholds) {
  const texts = thresholds.map(nsText);
  return [`below ${texts[0]}`, ...texts.slice(1).map((text, i) => `${texts[i]} to ${text}`), `from ${texts[texts.length - 1]}`];
}

// One row per job of a result, with its directions and classes together.
function bandRows(measures, thresholds) {
  const rows = new Map();
  for (const { latency, latencyName, parameters, job, unit } of measures) {
    if (!latency || !latency.histogram_ns) continue;
    const key = `${unit} ${latencyName}`, row = rows.get(key) || { name: labelOf({ parameters, job, of: latencyName }), times: new Array(thresholds.length + 1).fill(0) };
    for (const { ns, count } of bins(latency)) row.times[thresholds.filter((threshold) => ns >= threshold).length] += ns * count;
    rows.set(key, row);
  }
  return [...rows.values()].map((row) => ({ ...row, whole: row.times.reduce((sum, time) => sum + time, 0) })).filter((row) => row.whole > 0);
}

function bandsTable(rows, names) {
  const cells = ({ name, times, whole }) => [name, { value: whole, text: nsText(whole) }, ...times.map((time) => ({ value: (100 * time) / whole, text: percentText((100 * time) / whole) }))];
  return { caption: "Time in accesses and I/Os, and its shares by latency, in percent", heads: ["of", "time_ns", ...names], rows: rows.map(cells), file: "time-by-latency" };
}

function drawBands(holder, measures, thresholds) {
  const all = bandRows(measures, thresholds), names = bandNames(thresholds), rows = all.slice(0, MOST_LINES);
  clearFigures(holder);
  addFigure(holder, { plot: "overlay-bands", title: "Share of the time, by latency", stack: true, rows: () => rows.map((row) => row.name), xName: "of", yText: percentText,
    make: () => names.map((name, of) => ({ name, of, y: rows.map((row) => (100 * row.times[of]) / row.whole) })), yName: "share of the time", yRange: [0, 100], csvName: "of" },
  { name: "the ticked results" });
  addTable(holder, bandsTable(all, names));
}

function showBands(holder, measures) {
  if (!measures.some(({ latency }) => latency && latency.histogram_ns)) return;
  const bar = element("div", "", "choices"), label = element("label", "Thresholds"), input = element("input"), said = element("span", "", "note"), place = element("div");
  input.id = label.htmlFor = "thresholds";
  input.value = bandText;
  said.setAttribute("role", "status");
  const draw = () => {
    const thresholds = thresholdsIn(input.value);
    input.setAttribute("aria-invalid", String(!thresholds));
    said.textContent = thresholds ? "" : "Times with a comma between: 1 us, 10 us, 2.5 ms";
    if (!thresholds) return;
    bandText = input.value;
    drawBands(place, measures, thresholds);
  };
  input.addEventListener("change", draw);
  bar.append(label, input, said);
  holder.append(bar, place);
  draw();
}
