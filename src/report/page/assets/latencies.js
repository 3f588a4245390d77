// Plots of how long I/Os took: samples per bucket; the share that took no longer (the distribution function); and the same by percentile on an axis of 1/(1-p), where 90, 99 and
// 99.9 % are equally far apart (HdrHistogram's plotter). Of several jobs the same of all together: counts of equal buckets are added, which no percentiles could be.
function latenciesOf({ job }) {
  return DIRECTIONS.map((of) => ({ of, found: latencyOf(job[of]) })).filter(({ found }) => found)
    .map(({ of, found }) => ({ of, name: `${of} ${found.name}`, latency: found.latency }));
}

// Of each direction the first latency that all of its jobs have.
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

function histogramOf({ of, name, latency }) {
  const counts = new Map(), ends = new Map();
  for (const { begin, end, count } of bins(latency)) {
    counts.set(begin, (counts.get(begin) || 0) + count);
    ends.set(begin, end);
  }
  return { name, of, x: [...counts.keys()], y: [...counts.values()], ends };
}

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

// At a bucket's upper edge all of it is below.
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
    { ...byLatency, plot: `${prefix}histogram`, title: `Latency${whose}, samples per bucket`, make: lines(histogramOf), yText: countText, yName: "samples per bucket",
      toggle: "Logarithmic counts", bars: true },
    { ...byLatency, plot: `${prefix}cdf`, title: `Latency${whose}, share that took no longer`, make: lines(cumulativeOf), yText: percentText, yName: "share of samples",
      yRange: [0, 100], steps: 1 },
    { plot: `${prefix}percentiles`, title: `Latency${whose} by percentile`, make: lines(percentilesOf), xLog: true, xText: nines, yText: nsText, xName: "percentile",
      yName: "latency", yLog: true, steps: -1, csvName: "percentile", csvX: (x) => 100 * (1 - 1 / x) },
  ];
}
const LATENCY_KINDS = latencyKinds("", "", latenciesOf);
const MERGED_KINDS = latencyKinds("merged-", " of all jobs together", mergedLatenciesOf);
