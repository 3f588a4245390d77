// Logs of fio: one line per I/O, or per window of log_avg_msec (then its columns bs and offset are 0). Latencies of
// single I/Os give a histogram. Windows have only means, so there are no percentiles. Rates of windows are in KiB/s;
// those of single I/Os follow from the sizes. Histogram logs have counts by bucket, with neighboring buckets summed.
const LOG_NAME = /(?:^|[_-])(bw|iops|lat|clat|slat|clat_hist)(?:\.\d+)?\.log(?:\..+)?$/;
const LOG_LINE = /^\s*\d+(?:,\s*(?:\d+|0x[0-9a-fA-F]+)){3,}\s*$/;
const FINE_COLUMNS = 1856;

const isFioLog = (name, text) => LOG_LINE.test(text.slice(0, 40000).split("\n", 1)[0]);

function logRows(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, i) => {
    const row = line.split(",").map(Number);
    if (row.length < 4 || row.some(Number.isNaN)) throw new NotRead(i + 1 === lines.length ? "cut off: its last line is not whole" : `line ${i + 1} is none of a log of fio`);
    return row;
  });
}

// With log_window_value=both, a maximum precedes the direction.
function samplesOf(rows) {
  const at = rows.every((row) => row[2] <= 2) ? 2 : 3;
  return rows.map((row) => ({ time_ms: row[0], value: row[1], of: DIRECTIONS[row[at]], bytes: row[at + 1] || 0 }));
}

function intervals(samples) {
  let before = 0;
  return samples.map((sample) => {
    const interval_ms = sample.time_ms - before;
    before = sample.time_ms;
    return { ...sample, interval_ms };
  });
}

// About a hundred points, with a power of ten as their width.
function seriesOfIos(samples) {
  const width = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(1, samples[samples.length - 1].time_ms / 100)))), points = new Map();
  for (const sample of samples) {
    const time_ms = (Math.floor(sample.time_ms / width) + 1) * width;
    const point = points.get(time_ms) || { time_ms, interval_ms: width, bytes: 0, ios: 0 };
    point.bytes += sample.bytes;
    point.ios += 1;
    points.set(time_ms, point);
  }
  return [...points.values()];
}

function directionOfIos(samples, kind) {
  const seconds = samples.reduce((most, sample) => Math.max(most, sample.time_ms), 0) / 1000, bytes = samples.reduce((sum, sample) => sum + sample.bytes, 0);
  const rate = (n) => (seconds > 0 ? n / seconds : null);
  const out = { ios: samples.length, bytes, runtime_ns: seconds * 1e9, iops: rate(samples.length), bytes_per_s: rate(bytes), series: seriesOfIos(samples) };
  if (kind.endsWith("lat")) {
    const counts = new Map();
    for (const { value } of samples) counts.set(value, (counts.get(value) || 0) + 1);
    out[kind] = latencyOfBins([...counts.entries()], FINE_BUCKETS);
  }
  return out;
}

// Values that this kind of log lacks are null.
function directionOfWindows(samples, kind) {
  const windows = intervals(samples), whole = windows.filter((sample) => sample.interval_ms > 0);
  const time = whole.reduce((sum, sample) => sum + sample.interval_ms, 0);
  const mean = time > 0 ? whole.reduce((sum, sample) => sum + sample.value * sample.interval_ms, 0) / time : windows[0].value;
  const out = { ios: null, bytes: null, runtime_ns: windows[windows.length - 1].time_ms * 1e6, iops: null, bytes_per_s: null, series: [] };
  const points = { bw: (s) => ({ bytes: (s.value * 1024 * s.interval_ms) / 1000 }), iops: (s) => ({ ios: (s.value * s.interval_ms) / 1000 }) };
  const point = points[kind] || ((s) => ({ latency_ns: s.value }));
  out.series = whole.map((sample) => ({ time_ms: sample.time_ms, interval_ms: sample.interval_ms, ...point(sample) }));
  if (kind === "bw") out.bytes_per_s = mean * 1024;
  else if (kind === "iops") out.iops = mean;
  else out[kind] = { n: windows.length, windows: true, min_ns: null, max_ns: null, mean_ns: meanOf(windows.map(({ value }) => value)), histogram_ns: null };
  return out;
}

function directionOfHistograms(rows) {
  const columns = rows[0].length - 3, coarseness = Math.round(Math.log2(FINE_COLUMNS / columns)), joined = 2 ** coarseness, counts = new Array(columns).fill(0);
  if (columns !== Math.ceil(FINE_COLUMNS / joined)) throw new NotRead(`${columns} counts in a line, which no log_hist_coarseness of fio has`);
  for (const row of rows) for (let i = 0; i < columns; ++i) counts[i] += row[i + 3] || 0;
  const middle = (i) => (joined === 1 ? bucketValue(i) : (bucketBegin(i * joined) + bucketBegin((i + 1) * joined)) / 2);
  const latency = latencyOfBins(counts.map((count, i) => [middle(i), count]), coarseBuckets(coarseness));
  const runtime_ns = rows[rows.length - 1][0] * 1e6;
  return { ios: latency.n, bytes: null, runtime_ns, iops: runtime_ns > 0 ? (latency.n * 1e9) / runtime_ns : null, bytes_per_s: null, series: [], clat: latency };
}

function readFioLog(text, name) {
  const found = name.match(LOG_NAME), rows = logRows(text);
  if (!found) throw new NotRead("a log of fio whose name does not say of what: it ends in _bw.1.log, _iops.1.log, _lat.1.log, _clat.1.log, _slat.1.log or _clat_hist.1.log");
  if (rows.length === 0) throw new NotRead("a log of fio without a line: no samples");
  const kind = found[1], job = { name: name.slice(0, found.index) || name, options: {} }, histograms = kind === "clat_hist";
  const samples = histograms ? [] : samplesOf(rows), windows = samples.every((sample) => sample.bytes === 0);
  DIRECTIONS.forEach((of, d) => {
    const mine = histograms ? rows.filter((row) => row[1] === d) : samples.filter((sample) => sample.of === of);
    if (mine.length) job[of] = histograms ? directionOfHistograms(mine) : windows ? directionOfWindows(mine, kind) : directionOfIos(mine, kind);
  });
  const run = { schema_version: NEWEST_SCHEMA, program: { name: "fio", version: "" }, host: { hostname: "" }, global_options: {}, jobs: [job], findings: [], repetitions: [] };
  return { what: `${kind} log of fio, ${histograms ? "histograms" : windows ? "means of windows, no percentiles" : "I/O by I/O"}`, result: { fathom: run } };
}
