// Plots over the time of a run, with one point per interval, at its end. Each point has the length of its interval, so
// the plots show rates for any interval. All time plots of a page have a common cursor and a common clock. The clock is
// the elapsed time since the job began, or the host's wall clock. The wall clock is as it was set there, with its
// offset from UTC.
let wallClock = false;

// Returns null if the start time is unknown. Ticks are at round times of that clock.
const CLOCK_STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
function clockOf({ start_ms, utc_offset_s }) {
  if (start_ms == null) return null;
  const offset = utc_offset_s || 0, minutes = Math.round(Math.abs(offset) / 60), two = (n) => String(n).padStart(2, "0");
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  // The seconds represent the host's wall clock as if it were UTC, so that Date formats its local time.
  const tick = (s) => new Date(Math.round(s * 1000)).toISOString().slice(11, Math.round(s * 1000) % 1000 ? 23 : 19);
  return { start_s: start_ms / 1000 + offset, name: `wall clock of the host, ${zone}`, tick, text: (s) => `${tick(s)} ${zone}`, steps: CLOCK_STEPS };
}

function showClock(wall) {
  wallClock = wall;
  for (const state of shownFigures().filter((one) => one.kind.time)) {
    state.zoom = null;
    const pressed = state.holder.querySelector("button.clock");
    if (pressed) pressed.setAttribute("aria-pressed", String(wall));
    if (state.plot) draw(state);
  }
}

const hasSeries = (direction) => Boolean(direction && direction.series && direction.series.length > 1);

function rates({ job }, what, amount) {
  return DIRECTIONS.filter((of) => hasSeries(job[of])).map((of) => ({ name: `${of} ${what}`, of, x: job[of].series.map((p) => p.time_ms / 1000),
    y: job[of].series.map((p) => (p.interval_ms > 0 ? (amount(p) * 1000) / p.interval_ms : null)) }));
}

// Percentiles of each interval, if enough I/Os ended in it.
function latencySeries({ job }) {
  const out = [];
  DIRECTIONS.filter((of) => hasSeries(job[of])).forEach((of) => ["p50", "p99", "p999"].forEach((p, index) => {
    const y = job[of].series.map((point) => (point[`lat_ns_${p}`] > 0 ? point[`lat_ns_${p}`] : null));
    if (y.some((value) => value !== null)) out.push({ name: `${of} ${p === "p999" ? "p99.9" : p}`, of, dash: index, x: job[of].series.map((point) => point.time_ms / 1000), y });
  }));
  return out;
}

const timeKind = (row) => ({ time: true, xText: elapsedText, xName: "elapsed", csvName: "elapsed_s", ...row });
function seriesKinds(prefix, whose) {
  return [
    timeKind({ plot: `${prefix}series`, title: `I/Os per second${whose}`, make: (source) => rates(source, "IOPS", (p) => p.ios), yText: countText, yName: "I/Os per second" }),
    timeKind({ plot: `${prefix}bandwidth`, title: `Bandwidth${whose}`, make: (source) => rates(source, "bandwidth", (p) => p.bytes), yText: byteRateText, yName: "bandwidth" }),
    timeKind({ plot: `${prefix}latency-series`, title: `Latency over time${whose}`, make: latencySeries, yText: nsText, yName: "latency of an interval", yLog: true }),
  ];
}
const SERIES_KINDS = [...seriesKinds("", ""), ...heatKinds("", "")];
// For a group of jobs. Its points are sums. The run computed their percentiles from one histogram of all latencies.
const GROUP_SERIES_KINDS = [...seriesKinds("merged-", " of all jobs together"), ...heatKinds("merged-", " of all jobs together")];
