// Plots of clocks: the offset of each pair of CPUs with its bound (fathom clock test), and the cost of a read of each
// clock (fathom clock sources).
const MOST_PAIRS = 40;

function steadyPairs({ test }) {
  const decisive = (test.results || []).find((one) => one.barrier === test.barrier);
  const known = decisive && test.ticks_per_second > 0 ? (decisive.pairs || []).filter((pair) => pair.offset_ns != null && pair.offset_bound_ns != null) : [];
  return known.sort((a, b) => Math.abs(b.offset_ns) - Math.abs(a.offset_ns)).slice(0, MOST_PAIRS);
}

const pairNames = (source) => steadyPairs(source).map((pair) => `CPUs ${pair.cpu_a} and ${pair.cpu_b}`);
function offsetLines(source) {
  const all = steadyPairs(source), column = (value) => all.map(value);
  return all.length ? [{ name: "offset", of: 0, y: column((p) => p.offset_ns), low: column((p) => p.offset_ns - p.offset_bound_ns), high: column((p) => p.offset_ns + p.offset_bound_ns) }] : [];
}

const pricedSources = ({ clocks }) => (clocks.sources || []).filter((one) => one.cost_ns && one.cost_ns.p50 > 0);
function costLines(source) {
  const all = pricedSources(source), least = 0.1;
  return all.length ? [{ name: "median of a read", of: 0, y: all.map((one) => one.cost_ns.p50), low: all.map((one) => Math.max(one.cost_ns.min, least)), high: all.map((one) => one.cost_ns.p99) }] : [];
}

const signedNsText = (ns) => `${ns > 0 ? "+" : ""}${nsText(ns)}`;
const CLOCK_TEST_KINDS = [{ plot: "clock-offsets", title: "Offset of each pair of CPUs, and its bound", dots: true, rows: pairNames, make: offsetLines, xName: "pair", yText: signedNsText,
  yName: "second CPU ahead of the first", csvName: "pair" }];
const CLOCK_SOURCES_KINDS = [{ plot: "clock-costs", title: "Cost of a read: least, median and p99", dots: true, yLog: true, rows: (source) => pricedSources(source).map((one) => one.name),
  make: costLines, xName: "clock", yText: nsText, yName: "time of a read", csvName: "clock" }];
