// Plots of I/O latencies. The histogram has the share of the samples per octave of latency, so that different bucket
// widths make no step. The distribution function has the share of samples that took no longer. The third plot has the
// same by percentile, on an axis of 1/(1-p). There, 90, 99 and 99.9 % are at equal distances (HdrHistogram's plotter).
// For several jobs, there are the same plots of all jobs together. The counts of equal buckets are added, which is not
// possible with percentiles.
function latenciesOf({ job }) {
  return DIRECTIONS.map((of) => ({ of, found: latencyOf(job[of]) })).filter(({ found }) => found)
    .map(({ of, found }) => ({ of, name: `${of} ${found.name}`, latency: found.latency }));
}

// For each direction, the first latency that all of its jobs have.
function mergedLatenciesOf({ jobs }) {
  const out = [];
  for (const of of DIRECTIONS) {
    const all = jobs.filter((job) => latencyOf(job[of])).map((job) => job[of]);
    const name = ["intended_lat", "lat", "clat"].find((one) => all.length && all.every((direction) => hasSamples(direction[one])));
    const latency = name && mergedLatency(all.map((direction) => direction[name]));
    if (latency) out.push({ of, name: `${of} ${name}`, latency });
  }
  return out;
}

// Bars are eight to an octave, or as wide as a bucket: finer ones show noise. The edges of all layouts allow that. total: the number of samples that the shares refer to. `sheet`
// has the counts of the buckets.
function histogramOf({ of, name, latency, total = totalOf(latency.histogram_ns) }) {
  const counts = new Map(), bars = new Map(), ends = new Map();
  for (const { begin, end, count } of bins(latency)) {
    const width = Math.max(end - begin, begin < 8 ? 1 : 2 ** (octaveOf(begin) - 3)), low = Math.floor(begin / width) * width || begin;
    counts.set(begin, (counts.get(begin) || 0) + count);
    bars.set(low, (bars.get(low) || 0) + count);
    ends.set(low, Math.max(end, low < 8 ? end : low + width));
  }
  const share = ([begin, count]) => (100 * count) / total / Math.log2(ends.get(begin) / begin);
  return { name, of, x: [...bars.keys()], y: [...bars].map(share), sheet: { x: [...counts.keys()], y: [...counts.values()] }, ends };
}

// The latency at or below which this share of the samples is, as in the tables: the representative value of a bucket.
function percentileIn(latency, percent) {
  let below = 0;
  for (const bin of bins(latency)) {
    below += bin.count;
    if (below >= (percent / 100) * latency.n) return Math.min(bin.ns, latency.max_ns);
  }
  return latency.max_ns;
}

function percentileMarks(all) {
  return all.flatMap(({ of, name, latency }) => [50, 99, 99.9].map((percent) => {
    const from = percentileIn(latency, percent);
    return { axis: "x", from, of, name: `${all.length > 1 ? `${name} ` : ""}p${percent} ${nsText(from)}` };
  }));
}

// The latencies of the first screen: for a run, all of its jobs together; for accesses, all classes.
function latenciesOfAll({ jobs, paging }) {
  if (jobs.length) return mergedLatenciesOf({ jobs });
  const rows = ((paging && paging.classes) || []).map((row) => row.latency).filter(hasSamples), latency = rows.length ? mergedLatency(rows) : null;
  return latency ? [{ of: 0, name: "accesses", latency }] : [];
}
// Merged once for the bars and the marks.
const firstLatencies = (source) => (source.merged ??= latenciesOfAll(source));

function percentilesOf({ of, name, latency }) {
  const x = [1], y = [latency.min_ns];
  let below = 0;
  for (const bin of bins(latency)) {
    below += bin.count;
    x.push(latency.n / Math.max(latency.n - below, 0.5));
    y.push(Math.min(bin.ns, latency.max_ns));
  }
  return { name, of, x, y };
}

// At the upper edge of a bucket, all of its samples are below.
function cumulativeOf({ of, name, latency }) {
  const all = bins(latency), x = [all[0].begin], y = [0];
  let below = 0;
  for (const bin of all) {
    below += bin.count;
    x.push(bin.end);
    y.push((100 * below) / latency.n);
  }
  return { name, of, x, y };
}

const nines = (x) => (x <= 1 ? "0 %" : `${Number((100 * (1 - 1 / x)).toPrecision(x < 10 ? 2 : 2 + Math.floor(Math.log10(x))))} %`);

function latencyKinds(prefix, whose, latencies) {
  const lines = (one) => (source) => latencies(source).map(one);
  const byLatency = { xLog: true, xText: nsText, xName: "latency", csvName: "latency_ns" };
  return [
    { ...byLatency, plot: `${prefix}histogram`, title: `Latency${whose}, share of the samples in an octave`, make: lines(histogramOf), yText: percentText,
      yName: "share in an octave", toggle: "Logarithmic shares", bars: true },
    { ...byLatency, plot: `${prefix}cdf`, title: `Latency${whose}, share that took no longer`, make: lines(cumulativeOf), yText: percentText, yName: "share of samples",
      yRange: [0, 100], steps: 1 },
    { plot: `${prefix}percentiles`, title: `Latency${whose} by percentile`, make: lines(percentilesOf), xLog: true, xText: nines, yText: nsText, xName: "percentile",
      yName: "latency", yLog: true, steps: -1, csvName: "percentile", csvX: (x) => 100 * (1 - 1 / x) },
  ];
}
// The jobs of one run next to each other.
const besideKind = (row) => ({ rows: ({ jobs }) => jobs.map((job) => job.name), xName: "job", csvName: "job", ...row });
const tailOf = (direction) => { const found = latencyOf(direction); return found ? percentileIn(found.latency, 99) : null; };
const ofJobs = (value) => ({ jobs }) => DIRECTIONS.map((of) => ({ name: of, of, y: jobs.map((job) => (job[of] ? value(job[of]) : null)) }));
const BESIDE_KINDS = [
  besideKind({ plot: "jobs-iops", title: "I/Os per second, by job", stack: true, make: ofJobs((direction) => direction.iops || null), yText: countText, yName: "I/Os per second" }),
  besideKind({ plot: "jobs-p99", title: "p99, by job", dots: true, yLog: true, make: ofJobs(tailOf), yText: nsText, yName: "p99" }),
];
const FIRST = { plot: "first", title: "Latency", make: (source) => firstLatencies(source).map((one) => histogramOf(one)), marks: (source) => percentileMarks(firstLatencies(source)),
  xLog: true, xText: nsText, xName: "latency", yText: percentText, yName: "share in an octave", bars: true, toggle: "Logarithmic shares", pressed: false, csvName: "latency_ns" };
const LATENCY_KINDS = latencyKinds("", "", latenciesOf);
const MERGED_KINDS = latencyKinds("merged-", " of all jobs together", mergedLatenciesOf);
