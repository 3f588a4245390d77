// A run in progress. The script requests its seconds from the page's own address, and draws them with the plots of a
// report. After the run, that address has the report, and the page is reloaded. A second is { time_epoch_ms, elapsed_s,
// done_percent, eta_s }. A sweep adds its run. I/O adds { read, write, trim }, paging { phase, accesses_per_s ... }.
const ASK_ms = 1000, KEPT = 3600, FAILURES = 5;
const at = (id) => document.getElementById(id), followed = at("follow").dataset;
const points = [], job = {}, source = { name: "this run", job, points, start_ms: null, utc_offset_s: Number(followed.utcOffset) };
DIRECTIONS.forEach((of) => { job[of] = { series: [] }; });

const amounts = (name, member) => ({ points: all }) => [{ name, of: 0, x: all.map((p) => p.elapsed_s), y: all.map((p) => p[member]) }];
const several = (rows) => (of) => rows.flatMap(([name, member], index) => amounts(name, member)(of).map((line) => ({ ...line, of: index })));
const ACCESS_KINDS = [
  timeKind({ plot: "accesses", title: "Accesses per second", make: amounts("accesses", "accesses_per_s"), yText: countText, yName: "accesses per second" }),
  timeKind({ plot: "faults", title: "Faults per second", make: several([["minor", "minor_per_s"], ["major", "major_per_s"]]), yText: countText, yName: "faults per second" }),
  timeKind({ plot: "access-latency", title: "Latency of accesses", make: several([["p50", "access_ns_p50"], ["p99", "access_ns_p99"], ["p99.9", "access_ns_p999"]]), yText: nsText,
    yName: "latency in one second", yLog: true }),
];

const IO_COLUMNS = [["IOPS", "iops", countText], ["bytes/s", "bytes_per_s", bytesText], ["p50", "lat_ns_p50", nsText], ["p99", "lat_ns_p99", nsText],
  ["p99.9", "lat_ns_p999", nsText], ["I/Os so far", "ios", countText]];
const ACCESS_COLUMNS = [["accesses/s", "accesses_per_s", countText], ["minor/s", "minor_per_s", countText], ["major/s", "major_per_s", countText],
  ["p50", "access_ns_p50", nsText], ["p99", "access_ns_p99", nsText], ["p99.9", "access_ns_p999", nsText]];

// The runs of a sweep follow each other, so its own time counts.
const timeOf = (second) => (second.sweep_elapsed_s == null ? second.elapsed_s : second.sweep_elapsed_s);
const isIo = (second) => "read" in second;
const usedDirections = (second) => DIRECTIONS.filter((of) => second[of].ios > 0);

function add(second) {
  if (source.start_ms === null) source.start_ms = second.time_epoch_ms - 1000 * timeOf(second);
  if (!isIo(second)) return points.push(second);
  for (const of of usedDirections(second)) {
    const { iops, bytes_per_s, lat_n, lat_ns_p50, lat_ns_p99, lat_ns_p999 } = second[of];
    job[of].series.push({ time_ms: 1000 * timeOf(second), interval_ms: 1000, ios: iops, bytes: bytes_per_s, lat_n, lat_ns_p50, lat_ns_p99, lat_ns_p999 });
    if (job[of].series.length > KEPT) job[of].series.shift();
  }
  return undefined;
}

// Adds the kinds that have data by now. A plot that exists gets only the new points.
function drawFigures(kinds) {
  for (const kind of kinds) {
    const state = figures.find((one) => one.kind === kind);
    if (!state) { addFigure(at("figures"), kind, source); continue; }
    const lines = state.kind.make(source).filter((line) => line.x.length), same = lines.length === state.lines.length;
    state.lines = lines;
    if (!state.plot) continue;
    if (same && !state.zoom) state.plot.setData(dataOf(state));
    else draw(state);
  }
}

function row(name, cells, cellName) {
  const made = element("tr"), head = element("th", name);
  head.scope = cellName === "th" ? "col" : "row";
  made.append(head, ...cells.map((text) => { const cell = element(cellName, text, "n"); if (cellName === "th") cell.scope = "col"; return cell; }));
  return made;
}

function tell(second) {
  const columns = isIo(second) ? IO_COLUMNS : ACCESS_COLUMNS, rows = isIo(second) ? usedDirections(second).map((of) => [of, second[of]]) : [[second.phase, second]];
  const text = (of, [, member, say]) => (of[member] == null ? "-" : say(of[member]));
  at("now").tHead.replaceChildren(row("of", columns.map(([name]) => name), "th"));
  at("now").tBodies[0].replaceChildren(...rows.map(([name, of]) => row(name, columns.map((column) => text(of, column)), "td")));
  if (second.done_percent == null) at("done").removeAttribute("value");
  else at("done").value = second.done_percent;
  const left = second.eta_s == null ? "" : `, ${second.eta_s} s left`, what = second.run == null ? "" : `run ${second.run}, ${second.runs_left} left: ${second.setting || "as it is"}: `;
  at("left").textContent = `${what}${elapsedText(Math.round(second.elapsed_s))} since it began${left}`;
}

function say(text) {
  if (at("state").textContent !== text) at("state").textContent = text;
}

let next = 0, failures = 0;

function show({ next: following, seconds }) {
  next = following;
  seconds.forEach(add);
  if (points.length > KEPT) points.splice(0, points.length - KEPT);
  if (!seconds.length) return;
  const last = seconds[seconds.length - 1];
  say("It is being measured.");
  tell(last);
  drawFigures(isIo(last) ? SERIES_KINDS : ACCESS_KINDS);
  markWide();
}

async function ask() {
  try {
    const answer = await fetch(`seconds?after=${next}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const told = await answer.json();
    failures = 0;
    show(told);
    if (told.done && told.page) return location.reload();
    if (told.done) return say("It has ended without a report; this is what was seen of it.");
  } catch {
    if (++failures >= FAILURES) return say("It is gone; this is what was seen of it.");
  }
  return setTimeout(ask, ASK_ms);
}
ask();
