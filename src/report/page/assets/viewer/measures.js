// What is compared: one measure for each job and direction of a result, or for each class of accesses of a paging run, with all that a reader may pivot on. A measure keeps the
// numbers and the distribution, and not the result: of ten thousand files there is room for that.
const SIZES = [["g", 2 ** 30], ["m", 2 ** 20], ["k", 2 ** 10]];
function sizeText(bytes) {
  const found = SIZES.find(([, unit]) => bytes >= unit && bytes % unit === 0);
  return found ? `${bytes / found[1]}${found[0]}` : String(bytes);
}

// The one with a histogram before those without: lat of json+ may have none where clat has one.
function latencyShown(direction) {
  const known = ["intended_lat", "lat", "clat", "slat"].filter((name) => direction[name] && direction[name].n > 0);
  const name = known.find((one) => direction[one].histogram_ns) || known.find((one) => direction[one].percentiles_ns) || known[0];
  return name ? { name, latency: direction[name] } : { name: "", latency: null };
}

function runParameters(run, file) {
  const program = run.program || {};
  return { file, host: (run.host && run.host.hostname) || "", program: `${program.name || ""} ${program.version || ""}`.trim() };
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

function measuresOfPaging(paging, common) {
  const all = (paging.classes || []).reduce((sum, one) => sum + one.latency.n, 0), score = paging.score ? paging.score.accesses_per_s : null;
  const mib = (bytes) => (bytes >= 0 ? `${bytes / 2 ** 20} MiB` : "");
  const parameters = { ...paging.conditions, pattern: paging.pattern, memory: paging.memory, access: paging.access, threads: String(paging.threads ?? ""),
    map: mib(paging.map_bytes), set: mib(paging.set_bytes), read_percent: String(paging.read_percent ?? ""), job: paging.pattern, ...common };
  const measures = (paging.classes || []).map((one) => {
    const of = paging.classified ? `${one.direction} ${one.class}` : one.direction;
    return { of, latencyName: "access", latency: one.latency, job: paging.pattern, iops: score > 0 ? (score * one.latency.n) / all : null, bytes_per_s: null, series: [],
      parameters: { ...parameters, direction: one.direction, class: one.class } };
  });
  if (measures.length || !(paging.accesses > 0)) return measures;
  return [{ of: "access", latencyName: "", latency: null, job: paging.pattern, iops: score, bytes_per_s: null, series: [], parameters }];
}

const measuresOfRun = (run, common) => [...(run.jobs || []).flatMap((job) => measuresOfJob(job, run, common)), ...(run.paging ? measuresOfPaging(run.paging, common) : [])];

// Repetitions are runs of their own; the one that stands for all is in the file once, and marked where it belongs.
function measuresOf(result, file) {
  const run = result.fathom;
  if (!run) return [];
  const common = runParameters(run, file), repetitions = Array.isArray(run.repetitions) ? run.repetitions : [];
  if (repetitions.length < 2) return measuresOfRun(run, common);
  return repetitions.flatMap((repetition, i) => measuresOfRun(repetition.jobs || repetition.paging ? repetition : run, { ...common, repetition: String(i + 1) }));
}

const METRICS = [
  { id: "iops", title: "IOPS (accesses a second of paging)", unit: "1/s", of: (m) => m.iops },
  { id: "bandwidth", title: "bandwidth", unit: "bytes/s", of: (m) => m.bytes_per_s },
  { id: "mean", title: "mean latency", unit: "ns", of: (m) => (m.latency && m.latency.n > 0 ? m.latency.mean_ns : null) },
  ...[50, 99, 99.9].map((percent) => ({ id: `p${percent}`, title: `p${percent} of latency`, unit: "ns", percentile: true, of: (m) => percentileOf(m.latency, percent) })),
];
const metricText = (metric, value) => (value == null ? "-" : metric.unit === "ns" ? nsText(value) : `${countText(value)}${metric.unit === "bytes/s" ? "B/s" : ""}`);
const labelOf = ({ parameters, job, of }) => `${parameters.file}${parameters.repetition ? `, repetition ${parameters.repetition}` : ""}: ${job === "" ? "" : `${job} `}${of}`;
