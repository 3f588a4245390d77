// Achieved values of a job in percent of the requested ones: rates, bytes, depth and the share of reads. The depth
// follows from Little's law (result: delivery.mean_depth).
function askedRows({ job }) {
  const out = [], add = (name, asked, delivered) => { if (asked > 0 && delivered != null) out.push({ name, percent: (100 * delivered) / asked }); };
  for (const of of DIRECTIONS) {
    const direction = job[of] || {}, rate = job.rate || {};
    add(`${of} IOPS`, rate.asked_iops && rate.asked_iops[of], direction.iops);
    add(`${of} bandwidth`, rate.asked_bytes_per_s && rate.asked_bytes_per_s[of], direction.bytes_per_s);
  }
  const delivery = job.delivery || {};
  if (delivery.asked_depth > 1) add(`depth of ${delivery.asked_depth}`, delivery.asked_depth, delivery.mean_depth);
  if (delivery.asked_read_percent > 0) add(`reads of ${percentText(delivery.asked_read_percent)}`, delivery.asked_read_percent, delivery.read_percent);
  if (delivery.asked_bytes > 0 && !delivery.work_done) add("bytes", delivery.asked_bytes, delivery.done_bytes);
  return out;
}

const ASKED = { plot: "asked", title: "Achieved, of what was requested", stack: true, rows: (source) => askedRows(source).map((row) => row.name), xName: "asked",
  make: (source) => [{ name: "delivered", of: 0, y: askedRows(source).map((row) => row.percent) }], yText: percentText, yName: "share of the request",
  yLeast: 100, csvName: "asked" };
