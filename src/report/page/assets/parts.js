// The parts of the time of I/Os (fathom run --breakdown): their mean times, and their shares of the time of all I/Os
// and of each band of latency. Slow I/Os have other parts than typical ones. The parts of an I/O do not overlap and add
// up to the total. Time outside all parts is `unattributed`.
const PART_TONES = { device: 0, completion: 1, queue: 2, submit: 3, tags: 4, cpu: 5, program: 7, held: 4, handed: 3, ahead: 2, dirty: 4, flush: 7,
  data: 0, others_commit: 1, commit: 2, file_system: 5 };
const PARTS = ["program", "submit", "held", "handed", "tags", "queue", "device", "completion", "cpu", "ahead", "dirty", "flush", "data", "others_commit", "commit", "file_system"];

function shareOfAll(split, part) {
  if (split.share && split.share[part] >= 0) return split.share[part];
  return split.whole && split.whole.sum_ns > 0 && split[part] ? split[part].sum_ns / split.whole.sum_ns : 0;
}

const toldBands = ({ split }) => (split.bands || []).filter((band) => band.told);

// Columns: a name, and the values of its parts.
function splitColumns(source) {
  const { split } = source, seen = PARTS.map((part) => shareOfAll(split, part));
  if (!split.whole || !split.whole.n) return [];
  const mean = PARTS.map((part) => (split[part] && split[part].sum_ns ? split[part].sum_ns / split.whole.n : 0));
  const ofParts = (values) => PARTS.map((part) => (values && values[part]) || 0);
  const bands = toldBands(source).map((band) => ({ name: band.name, share: ofParts(band.share), mean: ofParts(band.mean_ns) }));
  return [{ name: "all I/Os", share: seen, mean }, ...bands];
}

// A part has the same color whichever other parts there are.
function shareLines(source) {
  const columns = splitColumns(source);
  const lines = PARTS.map((name, index) => ({ name, of: PART_TONES[name], y: columns.map((column) => column.share[index] * 100) }))
    .filter((line) => line.y.some((value) => value > 0));
  const rest = columns.map((column, row) => Math.max(100 - lines.reduce((sum, line) => sum + line.y[row], 0), 0));
  return lines.length && rest.some((value) => value > 0.05) ? [...lines, { name: "unattributed", of: 6, y: rest }] : lines;
}

// Times may differ by decades: one dot each, one row per part.
const seenParts = (source) => PARTS.filter((name, index) => splitColumns(source).some((column) => column.mean[index] > 0));
function meanLines(source) {
  return splitColumns(source).map((column, of) => ({ name: column.name, of, y: seenParts(source).map((name) => column.mean[PARTS.indexOf(name)] || null) }));
}

const splitRows = (source) => splitColumns(source).map((column) => column.name);
const PART_KINDS = [
  { plot: "split-share", title: "Share of the time, by part", stack: true, rows: splitRows, make: shareLines, xName: "I/Os", yText: percentText, yName: "share of the time",
    yRange: [0, 100], csvName: "ios" },
  { plot: "split-mean", title: "Mean time, by part", dots: true, yLog: true, rows: seenParts, make: meanLines, xName: "part", yText: nsText,
    yName: "mean time per I/O", csvName: "part" },
];
