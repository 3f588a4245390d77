// Ticked results as one. For each direction and kind of latency, counts are added if all have histograms with the same
// buckets. Otherwise the number is the mean of the runs' percentiles, and is labeled as that: it is not a percentile of
// all samples.
function groupsOf(measures) {
  const groups = new Map();
  for (const measure of measures) {
    const key = `${measure.of} ${measure.latencyName}`.trim();
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(measure);
  }
  return groups;
}

const knownOf = (values) => values.filter((value) => value != null && Number.isFinite(value));
function meanOf(values) {
  const known = knownOf(values);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

function mergedRow(name, measures) {
  const withLatency = measures.filter((measure) => measure.latency && measure.latency.n > 0);
  const { latency, why } = withLatency.length ? addedLatency(withLatency.map((measure) => measure.latency)) : { latency: null, why: "no latencies" };
  const cells = METRICS.map((metric) => {
    const value = latency && metric.unit === "ns" ? metric.of({ latency }) : meanOf(measures.map(metric.of));
    return { value, text: metricText(metric, value) };
  });
  const added = withLatency.length === 1 ? "its own counts" : `counts of ${withLatency.length} added`;
  const how = latency ? added : withLatency.length ? `mean of runs' mean, p50, p99, p99.9: ${why}` : why;
  return { name, latency, how, cells: [name, { value: measures.length, text: String(measures.length) }, ...cells, how] };
}

function mergedTable(rows) {
  const heads = ["of", "runs", ...METRICS.map((metric) => (metric.unit === "ns" ? metric.id : `mean of runs' ${metric.id}`)), "latency"];
  return { caption: "Ticked results merged, by direction and latency", heads, rows: rows.map((row) => row.cells), file: "merged" };
}

function showMerged(holder, measures) {
  const rows = [...groupsOf(measures)].map(([name, group]) => mergedRow(name, group));
  addTable(holder, mergedTable(rows));
  const merged = rows.filter((row) => row.latency).map((row) => ({ of: row.name, job: "", latencyName: "", latency: row.latency, series: [], parameters: { file: "merged" } }));
  if (merged.length) overlayFigures(holder, merged);
}
