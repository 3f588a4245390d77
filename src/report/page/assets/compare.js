// Plots of a comparison (fathom compare): the change of each metric with its interval, and the sides' histograms on
// common axes. An interval that crosses 0 shows no difference (Cumming, "Understanding the new statistics", 2012).
const changedMetrics = ({ compare }) => (compare.metrics || []).filter((metric) => (metric.changes || []).some((change) => change.percent != null && change.low_percent != null));

function changeLines(source) {
  const metrics = changedMetrics(source), sides = [...new Set(metrics.flatMap((metric) => metric.changes.map((change) => change.side)))];
  return sides.map((side, index) => {
    const changes = metrics.map((metric) => metric.changes.find((change) => change.side === side && change.percent != null && change.low_percent != null) || {});
    const column = (key) => changes.map((change) => (change[key] === undefined ? null : change[key]));
    return { name: `${side} against ${source.compare.sides[0].name}`, of: index + 1, y: column("percent"), low: column("low_percent"), high: column("high_percent") };
  });
}

function sideLatencies({ compare }) {
  return (compare.sides || []).map((side, of) => {
    const histogram_ns = side.histogram_ns || {}, n = totalOf(histogram_ns);
    return { of, name: side.name, latency: { histogram_ns, n, buckets: side.buckets === "pmbench" ? PMBENCH_BUCKETS : FINE_BUCKETS } };
  }).filter(({ latency }) => latency.n > 0);
}

const metricNames = (source) => changedMetrics(source).map((metric) => (metric.of ? `${metric.of} ${metric.name}` : metric.name));
const signedText = (v) => `${v > 0 ? "+" : ""}${percentText(v)}`;
const COMPARE_KINDS = [
  { plot: "changes", title: "Change of each metric, and its interval", dots: true, rows: metricNames, make: changeLines, xName: "metric", yText: signedText,
    yName: "change", csvName: "metric" },
  ...latencyKinds("sides-", " of each side", sideLatencies).slice(0, 2),
];
