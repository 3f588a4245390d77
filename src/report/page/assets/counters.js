// Plots of the counts of `fathom pmu stat -I` in each interval. A page may have the series of a run too. With "Wall
// clock", all plots have a common time and cursor.
const hasCount = (row) => row.state === "counted" || row.state === "lost";

// Rows of CPUs that are shown separately (-A, --per-socket) have the same events.
const rowName = (row) => (row.place ? `${row.place} ${row.event}` : row.event);

// amount(row): the amount to plot per second; null: none.
function countedRates({ pmu }, amount) {
  const intervals = pmu.intervals || [], begins = intervals.map((one, i) => (i ? intervals[i - 1].time_ns : 0));
  const names = [...new Set(intervals.flatMap((one) => one.events.map(rowName)))];
  return names.map((name, of) => {
    const rows = intervals.map((one) => one.events.find((row) => rowName(row) === name));
    const y = rows.map((row, i) => (row && amount(row) != null && intervals[i].time_ns > begins[i] ? (amount(row) * 1e9) / (intervals[i].time_ns - begins[i]) : null));
    const unit = rows.map((row) => row && row.unit).find(Boolean);
    return { name: unit ? `${name}, ${unit}` : name, of, x: intervals.map((one) => one.time_ns / 1e9), y };
  }).filter((line) => line.y.some((value) => value !== null));
}

const COUNTER_KINDS = [
  timeKind({ plot: "counters", title: "Events per second", make: (source) => countedRates(source, (row) => (hasCount(row) ? row.count : null)), yText: countText, yName: "per second",
    toggle: "Logarithmic rates", pressed: false }),
  timeKind({ plot: "counter-bytes", title: "Bytes per second, by counters", make: (source) => countedRates(source, (row) => (hasCount(row) && row.bytes != null ? row.bytes : null)),
    yText: byteRateText, yName: "bandwidth" }),
];
