// Numbers as they are read, and the histogram's buckets. A latency stands in a result as counts by the value that stands for a bucket; its edges follow from that value alone
// (64 buckets to an octave from 128 ns on, 1 ns wide below: src/stats/, the layout of HdrHistogram), so that a bar is as wide as what it counts and no line crosses what is empty.
const DIRECTIONS = ["read", "write", "trim"];

// Three digits and a unit.
function withUnit(value, units, base) {
  if (value === 0) return "0";
  let i = 0;
  while (i + 1 < units.length && Math.abs(value) >= base * 0.9995) { value /= base; ++i; }
  return `${Number(value.toPrecision(3))}${units[i]}`;
}
const nsText = (ns) => withUnit(ns, [" ns", " us", " ms", " s"], 1000);
const countText = (n) => withUnit(n, ["", "k", "M", "G", "T"], 1000);
const bytesText = (n) => withUnit(n, [" B", " KiB", " MiB", " GiB", " TiB"], 1024);
const percentText = (percent) => `${Number(percent.toPrecision(4))} %`;

function bucketOf(ns) {
  const width = ns < 128 ? 1 : 2 ** (Math.floor(Math.log2(ns)) - 6);
  const low = Math.floor(ns / width) * width;
  return { low, high: low + width };
}

const hasSamples = (latency) => Boolean(latency && latency.n > 0 && latency.histogram_ns);

// The latency that a reader asks for first: from when an I/O was due, where it was; of the whole, else of its completion.
function latencyOf(direction) {
  for (const name of ["intended_lat", "lat", "clat"])
    if (direction && hasSamples(direction[name])) return { name, latency: direction[name] };
  return null;
}

// In order, and once for all plots of it.
const sortedBins = new WeakMap();
function bins(latency) {
  if (!sortedBins.has(latency)) sortedBins.set(latency, Object.entries(latency.histogram_ns).map(([ns, count]) => ({ ns: Number(ns), count })).sort((a, b) => a.ns - b.ns));
  return sortedBins.get(latency);
}

// Of the layout above: a bucket's middle stands for it. Other programs' histograms, which a result may hold, need not have it.
function standardLayout(latency) {
  return Object.keys(latency.histogram_ns).every((text) => {
    const ns = Number(text), { low, high } = bucketOf(ns);
    return ns === low + Math.floor((high - low) / 2);
  });
}

// Counts added; null where the buckets are not the same ones.
function mergedLatency(latencies) {
  if (!latencies.every(standardLayout)) return null;
  const out = { n: 0, min_ns: Infinity, max_ns: 0, histogram_ns: {} };
  for (const latency of latencies) {
    out.n += latency.n;
    out.min_ns = Math.min(out.min_ns, latency.min_ns);
    out.max_ns = Math.max(out.max_ns, latency.max_ns);
    for (const [ns, count] of Object.entries(latency.histogram_ns)) out.histogram_ns[ns] = (out.histogram_ns[ns] || 0) + count;
  }
  return out;
}
