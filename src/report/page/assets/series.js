// Plots over the time of a run: a point each interval, at its end. An interval has the length that its point says, so what is drawn is a rate whatever the width.
function rates(job, what, perSecond) {
  return DIRECTIONS.filter((of) => job[of] && job[of].series && job[of].series.length > 1).map((of) => ({ name: `${of} ${what}`, of, x: job[of].series.map((p) => p.time_ms / 1000),
    y: job[of].series.map((p) => (p.interval_ms > 0 ? (perSecond(p) * 1000) / p.interval_ms : null)) }));
}

const IOPS = { plot: "series", title: "I/Os a second", make: ({ job }) => rates(job, "IOPS", (p) => p.ios), xText: (s) => `${Number(s.toPrecision(4))} s`, yText: countText, xName: "elapsed",
  csvName: "elapsed_s" };
