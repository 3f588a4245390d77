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

function bins(latency) {
  return Object.entries(latency.histogram_ns).map(([ns, count]) => ({ ns: Number(ns), count })).sort((a, b) => a.ns - b.ns);
}
