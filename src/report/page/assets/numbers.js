// Numbers as text, and the buckets of histograms. A result has a latency as counts by the representative value of a
// bucket. The edges of a bucket follow from that value and from the layout, `buckets`. So a bar is as wide as its
// bucket, and no line crosses an empty range. fathom and fio's json+ have 64 buckets per octave from 128 ns on, and
// buckets of 1 ns below: the layout of HdrHistogram (src/stats/). pmbench has 16 bins per octave, one bin below 256 ns,
// and one per octave above 8.4 ms. fio's histogram logs sum neighboring buckets.
const DIRECTIONS = ["read", "write", "trim"];

// Three digits and a unit.
function withUnit(value, units, base) {
  if (value === 0) return "0";
  let i = 0;
  while (i + 1 < units.length && Math.abs(value) >= base * 0.9995) { value /= base; ++i; }
  return `${Number(value.toPrecision(3))}${units[i]}`;
}
// 59.5 s, 1 min 30 s, 2 h 5 min: as in the tables (src/report/page/units.cc).
function elapsedText(s) {
  if (s < 60) return `${Number(s.toPrecision(5))} s`;
  const minutes = Math.floor(s / 60), rest = Number((s - 60 * minutes).toFixed(1));
  if (minutes < 60) return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
  const left = minutes % 60;
  return `${Math.floor(minutes / 60)} h${left ? ` ${left} min` : ""}${rest ? ` ${rest} s` : ""}`;
}
const nsText = (ns) => (ns < 59.95e9 ? withUnit(ns, [" ns", " us", " ms", " s"], 1000) : elapsedText(ns / 1e9));
const countText = (n) => withUnit(n, ["", "k", "M", "G", "T"], 1000);
const bytesText = (n) => withUnit(n, [" B", " KiB", " MiB", " GiB", " TiB"], 1024);
const byteRateText = (n) => (n === 0 ? "0" : `${bytesText(n)}/s`);
const percentText = (percent) => `${Number(percent.toPrecision(4))} %`;

const FINE_BUCKETS = "64 buckets an octave", PMBENCH_BUCKETS = "pmbench's 16 bins an octave";
const coarseBuckets = (coarseness) => (coarseness === 0 ? FINE_BUCKETS : `fio's buckets, ${2 ** coarseness} in one`);

function octaveOf(ns) {
  const octave = Math.floor(Math.log2(ns));
  return 2 ** octave > ns ? octave - 1 : octave;
}

function bucketIndex(ns) {
  if (ns < 128) return Math.floor(ns);
  const shift = octaveOf(ns) - 6;
  return shift * 64 + Math.floor(ns / 2 ** shift);
}
const bucketBegin = (index) => (index < 128 ? index : (64 + (index % 64)) * 2 ** (Math.floor(index / 64) - 1));

function pmbenchEdges(ns) {
  if (ns < 256) return { low: 0, high: 256 };
  const octave = octaveOf(ns);
  if (octave >= 30) return { low: 2 ** 30, high: 2 ** 32 };
  const width = octave >= 23 ? 2 ** octave : 2 ** (octave - 4), low = Math.floor(ns / width) * width;
  return { low, high: low + width };
}

// The edges of the bucket with this representative value. Without `buckets`, the layout is fathom's.
function edgesOf({ buckets = FINE_BUCKETS }, ns) {
  if (buckets === PMBENCH_BUCKETS) return pmbenchEdges(ns);
  const joined = buckets === FINE_BUCKETS ? 1 : Number(buckets.match(/\d+/)[0]), first = Math.floor(bucketIndex(ns) / joined) * joined;
  return { low: bucketBegin(first), high: bucketBegin(first + joined) };
}

// A run that was imported from pmbench's report has a finding for it.
const bucketsOfRun = ({ findings }) => (Array.isArray(findings) && findings.some((finding) => finding.id === "import.bins") ? PMBENCH_BUCKETS : FINE_BUCKETS);

// Pairs of value and count, from any form of histogram. fathom's are pairs since schema 15; others are counts by value.
const pairsOf = (histogram) => (Array.isArray(histogram) ? histogram : Object.entries(histogram).map(([ns, count]) => [Number(ns), count]));
const totalOf = (histogram) => pairsOf(histogram).reduce((sum, [, count]) => sum + count, 0);

const hasSamples = (latency) => Boolean(latency && latency.n > 0 && latency.histogram_ns);

// The latency that a reader needs first: from the time when an I/O was due, if known; otherwise in total; otherwise of
// the completion.
function latencyOf(direction) {
  for (const name of ["intended_lat", "lat", "clat"])
    if (direction && hasSamples(direction[name])) return { name, latency: direction[name] };
  return null;
}

// Sorted bins, each from `begin` to `end`. The logarithmic axis has no 0. Computed once for all plots of a latency.
const sortedBins = new WeakMap();
function bins(latency) {
  if (sortedBins.has(latency)) return sortedBins.get(latency);
  const all = pairsOf(latency.histogram_ns).map(([ns, count]) => {
    const { low, high } = edgesOf(latency, ns);
    return { ns, begin: low || 0.5, end: high, count };
  });
  sortedBins.set(latency, all.sort((a, b) => a.ns - b.ns));
  return all;
}

// The sum of the counts; null if the buckets differ.
function mergedLatency(latencies) {
  const [buckets, ...others] = new Set(latencies.map((latency) => latency.buckets));
  if (others.length) return null;
  const sums = new Map(), out = { n: 0, min_ns: Infinity, max_ns: 0, buckets };
  for (const latency of latencies) {
    out.n += latency.n;
    out.min_ns = Math.min(out.min_ns, latency.min_ns);
    out.max_ns = Math.max(out.max_ns, latency.max_ns);
    for (const [ns, count] of pairsOf(latency.histogram_ns)) sums.set(ns, (sums.get(ns) || 0) + count);
  }
  return { ...out, histogram_ns: [...sums].sort(([a], [b]) => a - b) };
}
