// Latencies as counts by bucket, from any program. Counts are added only if the buckets are the same (numbers.js has
// the layouts): a redistribution would add precision that was not measured. A percentile is the nearest rank, as the
// representative value of a bucket, limited to the range of the samples. src/stats/percentiles.h has the same rules.

// The representative value of a bucket: its middle, as in fio.
function bucketValue(index) {
  const low = bucketBegin(index), width = bucketBegin(index + 1) - low;
  return width === 1 ? low : low + width / 2;
}

const orderedBins = (histogram) => [...pairsOf(histogram)].sort((a, b) => a[0] - b[0]);

// For a latency of the normal form; null: unknown.
function percentileOf(latency, percent) {
  if (!latency || !(latency.n > 0)) return null;
  if (!latency.histogram_ns) {
    const stored = Object.entries(latency.percentiles_ns || {}).find(([p]) => Number(p) === percent);
    return stored ? stored[1] : null;
  }
  const sorted = orderedBins(latency.histogram_ns), total = totalOf(latency.histogram_ns);
  const wanted = Math.max(1, Math.min(Math.ceil((percent / 100) * total * (1 - 1e-15)), total));
  let running = 0;
  for (const [ns, count] of sorted) {
    running += count;
    if (running >= wanted) return within(ns, latency.min_ns, latency.max_ns);
  }
  return null;
}
const within = (value, low, high) => (low == null || high == null || low > high ? value : Math.max(low, Math.min(value, high)));

const LISTED_PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99];
function percentileTable(latency, percents = LISTED_PERCENTILES) {
  return Object.fromEntries(percents.map((percent) => [percent.toFixed(6), percentileOf(latency, percent)]));
}

// From pairs of value and count. `n` becomes the sum of the counts.
function latencyOfBins(pairs, buckets, seen) {
  const latency = { n: 0, sum_ns: 0, min_ns: null, max_ns: null, mean_ns: 0, stddev_ns: 0, buckets, histogram_ns: {} };
  let squares = 0;
  for (const [ns, count] of pairs) {
    if (count === 0) continue;
    const key = bucketValue(bucketIndex(ns));
    latency.histogram_ns[key] = (latency.histogram_ns[key] || 0) + count;
    latency.n += count;
    latency.sum_ns += ns * count;
    squares += ns * ns * count;
    latency.min_ns = latency.min_ns === null ? ns : Math.min(latency.min_ns, ns);
    latency.max_ns = latency.max_ns === null ? ns : Math.max(latency.max_ns, ns);
  }
  if (latency.n > 0) latency.mean_ns = latency.sum_ns / latency.n;
  if (latency.n > 1) latency.stddev_ns = Math.sqrt(Math.max(0, (squares - latency.sum_ns * latency.mean_ns) / (latency.n - 1)));
  Object.assign(latency, seen);
  latency.percentiles_ns = percentileTable(latency);
  return latency;
}

// One latency from many. If one of them has no histogram, there is no percentile of all samples. The caller then uses
// the mean of the runs' percentiles. `why` is the reason.
function addedLatency(latencies) {
  const kinds = [...new Set(latencies.filter((latency) => latency.histogram_ns).map((latency) => latency.buckets))];
  const bare = latencies.filter((latency) => !latency.histogram_ns).length;
  if (bare > 0) return { latency: null, why: `${bare} of ${latencies.length} have no histogram, so there are no percentiles of all samples` };
  if (kinds.length > 1) return { latency: null, why: `their buckets differ (${kinds.join("; ")}), so counts are not added` };
  const histogram = {}, n = latencies.reduce((sum, latency) => sum + latency.n, 0);
  for (const latency of latencies) for (const [ns, count] of pairsOf(latency.histogram_ns)) histogram[ns] = (histogram[ns] || 0) + count;
  const sum = latencies.reduce((total, latency) => total + latency.mean_ns * latency.n, 0);
  const merged = { n, mean_ns: sum / n, min_ns: Math.min(...latencies.map((latency) => latency.min_ns)), max_ns: Math.max(...latencies.map((latency) => latency.max_ns)),
    buckets: kinds[0], histogram_ns: histogram };
  merged.percentiles_ns = percentileTable(merged);
  return { latency: merged, why: "" };
}
