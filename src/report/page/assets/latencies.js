// Plots of how long I/Os took: samples a bucket, and the same by percentile on an axis of 1/(1-p), where 90, 99 and 99.9 % are equally far apart (HdrHistogram's plotter).
function latenciesOf(job) {
  return DIRECTIONS.map((of) => ({ of, found: latencyOf(job[of]) })).filter(({ found }) => found).map(({ of, found }) => ({ of, name: `${of} ${found.name}`, latency: found.latency }));
}

function histogramOf({ of, name, latency }) {
  const all = bins(latency);
  return { name, of, x: all.map((bin) => bucketOf(bin.ns).low || 0.5), y: all.map((bin) => bin.count) };
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

const nines = (x) => (x <= 1 ? "0 %" : `${Number((100 * (1 - 1 / x)).toPrecision(x < 10 ? 2 : 2 + Math.floor(Math.log10(x))))} %`);

const HISTOGRAM = { plot: "histogram", title: "Latency, samples a bucket", make: ({ job }) => latenciesOf(job).map(histogramOf), xLog: true, xText: nsText, yText: countText, xName: "latency",
  toggle: "Logarithmic counts", bars: true, csvName: "latency_ns" };
const PERCENTILES = { plot: "percentiles", title: "Latency by percentile", make: ({ job }) => latenciesOf(job).map(percentilesOf), xLog: true, xText: nines, yText: nsText, xName: "percentile",
  yLog: true, steps: true, csvName: "percentile", csvX: (x) => 100 * (1 - 1 / x) };
