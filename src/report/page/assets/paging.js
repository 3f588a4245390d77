// Plots of memory accesses (fathom paging). Hits, minor faults and major faults are drawn over each other. A histogram
// of all accesses would hide which class is slow. The share of the time in accesses above a threshold shows how much
// time a faster device could save. The third kind shows the faults over time.
const CLASSES = ["hit", "minor", "major"];

function accessClasses({ paging }) {
  return CLASSES.map((name, of) => {
    const rows = (paging.classes || []).filter((row) => row.class === name && hasSamples(row.latency));
    const latency = rows.length ? mergedLatency(rows.map((row) => row.latency)) : null;
    return latency && { of, name, latency };
  }).filter(Boolean);
}

// Shares of all accesses, so that the heights of the classes are comparable.
function classHistograms(source) {
  const all = accessClasses(source), total = all.reduce((sum, { latency }) => sum + totalOf(latency.histogram_ns), 0);
  return all.map((one) => histogramOf({ ...one, total }));
}

// At the lower edge of a bucket: the time of its accesses and of all slower ones. A bucket's time is its count times
// its representative value.
function slowerTime(source) {
  const latencies = accessClasses(source), all = latencies.length ? mergedLatency(latencies.map((one) => one.latency)) : null;
  if (!all) return [];
  const list = bins(all), total = list.reduce((sum, bin) => sum + bin.ns * bin.count, 0), x = [], y = [];
  let rest = total;
  for (const bin of list) {
    x.push(bin.begin);
    y.push(total > 0 ? (100 * rest) / total : null);
    rest -= bin.ns * bin.count;
  }
  return [{ name: "share of the time", of: 0, x, y }];
}

function pagingRates({ paging }) {
  const points = (paging.series || []).filter((p) => p.interval_ms > 0);
  if (points.length < 2) return [];
  const of = (name, tone) => ({ name, of: tone, x: points.map((p) => p.time_ms / 1000), y: points.map((p) => (p[name] * 1000) / p.interval_ms) });
  return [of("accesses", 0), of("minor", 1), of("major", 2)];
}

function kernelRates({ paging }) {
  const points = (paging.series || []).filter((p) => p.interval_ms > 0 && p.kernel);
  if (points.length < 2) return [];
  const names = Object.keys(points[0].kernel).filter((name) => points.some((p) => p.kernel[name] > 0)).slice(0, 8);
  return names.map((name, of) => ({ name, of, x: points.map((p) => p.time_ms / 1000), y: points.map((p) => ((p.kernel[name] || 0) * 1000) / p.interval_ms) }));
}

const PAGING_KINDS = [
  { plot: "paging-histogram", title: "Share of the accesses in an octave, by what they met", make: classHistograms, xLog: true, xText: nsText, yText: percentText,
    xName: "latency", yName: "share in an octave", toggle: "Logarithmic shares", bars: true, csvName: "latency_ns" },
  { plot: "paging-slower", title: "Share of the time in accesses of at least this latency", make: slowerTime, xLog: true, xText: nsText, yText: percentText, xName: "threshold",
    yName: "share of the time", yRange: [0, 100], steps: -1, csvName: "threshold_ns" },
  timeKind({ plot: "paging-series", title: "Accesses and faults per second", make: pagingRates, yText: countText, yName: "per second", toggle: "Logarithmic rates", pressed: false }),
  timeKind({ plot: "paging-kernel", title: "The kernel's counters", make: kernelRates, yText: countText, yName: "per second", toggle: "Logarithmic rates", pressed: false }),
];
