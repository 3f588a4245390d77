// A measure is the unit of comparison: a job and direction of a result, or a class of accesses of a paging run. It has
// all parameters for a pivot, the numbers and the distribution. It does not have the result, so that ten thousand files
// fit into memory.
const SIZES = [["g", 2 ** 30], ["m", 2 ** 20], ["k", 2 ** 10]];
function sizeText(bytes) {
  const found = SIZES.find(([, unit]) => bytes >= unit && bytes % unit === 0);
  return found ? `${bytes / found[1]}${found[0]}` : String(bytes);
}

// Prefers a latency with a histogram: lat of json+ may lack one that clat has.
function latencyShown(direction) {
  const known = ["intended_lat", "lat", "clat", "slat"].filter((name) => direction[name] && direction[name].n > 0);
  const name = known.find((one) => direction[one].histogram_ns) || known.find((one) => direction[one].percentiles_ns) || known[0];
  return name ? { name, latency: direction[name] } : { name: "", latency: null };
}

// A value that the file lacks is not a parameter.
const known = (rows) => Object.fromEntries(rows.filter(([, value]) => value != null && value !== "").map(([name, value]) => [name, String(value)]));
const manyBytes = (bytes) => (bytes > 0 ? bytesText(bytes) : "");

const LAST_DAY_ms = 8.64e15;  // of JavaScript's calendar
const dayOf = (ms) => (ms > 0 && ms < LAST_DAY_ms ? new Date(ms).toISOString().slice(0, 10) : "");

function hostParameters(host) {
  const ofDevices = (name) => [...new Set((host.devices || []).map((device) => device[name]).filter(Boolean))].join(", ");
  return known([["kernel", host.kernel], ["machine", host.machine], ["CPU", host.cpu_model], ["CPUs", host.cpus_online], ["CPUs allowed", host.cpus_allowed],
    ["host memory", manyBytes(host.memory_bytes)], ["distribution", host.distribution], ["hypervisor", host.hypervisor], ["governor", host.governor],
    ["clock source", host.clock_source], ["disk", ofDevices("disk")], ["disk model", ofDevices("model")], ["disk scheduler", ofDevices("scheduler")],
    ["file system", ofDevices("file_system")]]);
}

function runParameters(run, file) {
  const program = run.program || {}, imported = (run.paging && run.paging.imported) || {};
  return { ...hostParameters(run.host || {}), ...known([["date", dayOf(run.time_epoch_ms)],
    ["system", (imported.options || imported.os_name || "").trim()]]), file, host: (run.host && run.host.hostname) || "",
    program: imported.program || `${program.name || ""} ${program.version || ""}`.trim() };
}

function jobParameters(job, run) {
  const options = { ...run.global_options, ...job.options }, sizes = [job.bs_min_bytes, job.bs_max_bytes];
  const bytes = sizes.every((list) => Array.isArray(list) && list[0] > 0) ? sizes.map((list) => sizeText(list[0])) : null;
  delete options.name;
  return { ...options, job: job.name, engine: job.engine || options.ioengine || "", rw: job.rw || options.rw || "", iodepth: String(job.iodepth ?? options.iodepth ?? ""),
    bs: options.bs || options.bssplit || options.bsrange || (bytes ? (bytes[0] === bytes[1] ? bytes[0] : bytes.join("-")) : ""), numjobs: options.numjobs || "1" };
}

function measuresOfJob(job, run, common) {
  const used = DIRECTIONS.filter((of) => job[of] && (job[of].ios > 0 || job[of].ios === null || latencyShown(job[of]).latency));
  return used.map((direction) => {
    const theirs = job[direction], { name, latency } = latencyShown(theirs), of = job.unified ? "all" : direction;
    return { of, latencyName: name, latency, job: job.name, iops: theirs.iops ?? null, bytes_per_s: theirs.bytes_per_s ?? null, series: theirs.series || [],
      parameters: { ...jobParameters(job, run), ...common, direction: of } };
  });
}

// Includes the machine's settings for the run, if the file has them.
function pagingParameters(paging) {
  const mib = (bytes) => (bytes >= 0 ? `${bytes / 2 ** 20} MiB` : ""), { pressure } = paging;
  const swaps = pressure && (pressure.swaps || []).map((swap) => [swap.name || swap.path, swap.compressor].filter(Boolean).join(" "));
  return { ...paging.conditions, ...(pressure && pressure.settings), ...known([["pattern", paging.pattern], ["shape", paging.shape], ["memory", paging.memory],
    ["access", paging.access], ["fill", paging.fill], ["read_percent", paging.read_percent], ["threads", paging.threads], ["processes", paging.processes],
    ["map", mib(paging.map_bytes)], ["set", mib(paging.set_bytes)], ["page size", manyBytes(paging.page_bytes)],
    ["duration", paging.duration_s == null ? "" : `${paging.duration_s} s`], ["delay", paging.delay_ticks == null ? "" : `${paging.delay_ticks} ticks`],
    ["cold", paging.cold == null ? "" : paging.cold ? "yes" : "no"], ["offset", paging.offset_words < 0 ? "random" : paging.offset_words], ["seed", paging.seed],
    ["stamps", paging.clock && paging.clock.stamps], ["memory limit", pressure && (manyBytes(pressure.limit_bytes) || "none")],
    ["swap", swaps && (swaps.join(", ") || "none")]]) };
}

function measuresOfPaging(paging, common) {
  const all = (paging.classes || []).reduce((sum, one) => sum + one.latency.n, 0), score = paging.score ? paging.score.accesses_per_s : null;
  const parameters = { ...pagingParameters(paging), job: paging.pattern, ...common };
  const measures = (paging.classes || []).map((one) => {
    const of = paging.classified ? `${one.direction} ${one.class}` : one.direction;
    return { of, latencyName: "access", latency: one.latency, job: paging.pattern, iops: score > 0 ? (score * one.latency.n) / all : null, bytes_per_s: null, series: [],
      parameters: { ...parameters, direction: one.direction, class: one.class } };
  });
  if (!measures.length && paging.accesses > 0)
    measures.push({ of: "access", latencyName: "", latency: null, job: paging.pattern, iops: score, bytes_per_s: null, series: [], parameters });
  if (measures.length) Object.assign(measures[0], { series: (paging.series || []).map(pointOfAccesses), seriesOf: "accesses" });
  return measures;
}

// A point of all classes together: it belongs to the first class.
const pointOfAccesses = ({ time_ms, interval_ms, accesses, minor, major }) => ({ time_ms, interval_ms, accesses, minor, major });

// A unit is the directions of a job, or the classes of a paging run, independent of names and files.
let unitsRead = 0;
function asUnit(measures) {
  const unit = ++unitsRead;
  return measures.map((measure) => ({ ...measure, unit }));
}

const measuresOfRun = (run, common) => [...(run.jobs || []).flatMap((job) => asUnit(measuresOfJob(job, run, common))),
  ...(run.paging ? asUnit(measuresOfPaging(run.paging, common)) : [])];

// Each repetition is a run. The one shown for all is in the file once: its entry in the list is only a mark.
function measuresOf(result, file) {
  const run = result.fathom;
  if (!run) return [];
  const common = runParameters(run, file), repetitions = Array.isArray(run.repetitions) ? run.repetitions : [];
  if (repetitions.length < 2) return measuresOfRun(run, common);
  return repetitions.flatMap((repetition, i) => measuresOfRun(repetition.jobs || repetition.paging ? repetition : run, { ...common, repetition: String(i + 1) }));
}

// The threads and the machine's memory of a paging run: { file, repetition, workers, memory }, without the
// distributions of single threads.
function threadsOf(result, file) {
  const run = result.fathom, repetitions = run && Array.isArray(run.repetitions) && run.repetitions.length > 1 ? run.repetitions : [run];
  return repetitions.map((one, i) => {
    const { workers = [], memory_items: memory = [] } = (one && one.paging) || {};
    return { file, repetition: repetitions.length > 1 ? String(i + 1) : "", workers: workers.map(threadFacts), memory };
  }).filter(({ workers, memory }) => workers.length || memory.length);
}

function threadFacts(worker) {
  const accesses = worker.reads == null ? worker.accesses : worker.reads + worker.writes, { process, thread, wall_ns, overhead_ns, warmup_accesses, warmup_ns, kernel_minor, kernel_major } = worker;
  const each_ns = accesses > 0 ? wall_ns / accesses : null, net_ns = each_ns == null || overhead_ns == null ? null : each_ns - overhead_ns;
  return { process, thread, accesses, net_ns, each_ns, overhead_ns, wall_ns, warmup_accesses, warmup_ns, kernel_minor, kernel_major };
}

const METRICS = [
  { id: "iops", title: "IOPS (accesses per second of paging)", unit: "1/s", of: (m) => m.iops },
  { id: "bandwidth", title: "bandwidth", unit: "bytes/s", of: (m) => m.bytes_per_s },
  { id: "mean", title: "mean latency", unit: "ns", of: (m) => (m.latency && m.latency.n > 0 ? m.latency.mean_ns : null) },
  ...[50, 99, 99.9].map((percent) => ({ id: `p${percent}`, title: `p${percent} of latency`, unit: "ns", percentile: true, of: (m) => percentileOf(m.latency, percent) })),
];
const metricText = (metric, value) => (value == null ? "-" : metric.unit === "ns" ? nsText(value) : `${countText(value)}${metric.unit === "bytes/s" ? "B/s" : ""}`);
const labelOf = ({ parameters, job, of }) => `${parameters.file}${parameters.repetition ? `, repetition ${parameters.repetition}` : ""}: ${job === "" ? "" : `${job} `}${of}`;
