// Results of fio, JSON and json+ (with histograms, in fathom's buckets), as src/import/fio/fio_json.cc reads them. A
// file may contain status reports and several formats: the last document counts. A sum over all clients is omitted,
// because the file also has its terms.
function lastDocument(text) {
  const before = text.lastIndexOf("\n{\n"), begin = before < 0 ? 0 : before + 1, end = text.indexOf("\n}\n", begin);
  return end < 0 ? text.slice(begin) : text.slice(begin, end + 2);
}

// fio's latency under fathom's names; undefined without samples.
function latencyOfFio(theirs) {
  if (!theirs || !(theirs.N > 0)) return undefined;
  const histogram = theirs.bins && Object.keys(theirs.bins).length ? theirs.bins : null;
  const stored = theirs.percentile && { percentiles_ns: theirs.percentile };
  return { n: theirs.N, min_ns: theirs.min, max_ns: theirs.max, mean_ns: theirs.mean, stddev_ns: theirs.stddev, ...stored, histogram_ns: histogram };
}

const isFioJson = (text) => text.includes("\"fio version\"") && !(text.includes("\"fathom\"") && text.includes("\"schema_version\""));

function readFioDirection(theirs, where) {
  const runtime_ns = (theirs.runtime || 0) * 1e6, seconds = runtime_ns / 1e9;
  const out = { bytes: theirs.io_bytes || 0, ios: theirs.total_ios || 0, short_ios: theirs.short_ios || 0, dropped_ios: theirs.drop_ios || 0, runtime_ms: theirs.runtime || 0,
    runtime_ns, iops: 0, bytes_per_s: 0, series: [] };
  if (seconds > 0) { out.iops = out.ios / seconds; out.bytes_per_s = out.bytes / seconds; }
  for (const name of ["slat", "clat", "lat"]) {
    const latency = latencyOfFio(theirs[`${name}_ns`]);
    if (latency) out[name] = readLatency(latency, FINE_BUCKETS, where);
  }
  return out;
}

function readFioJob(theirs, globals) {
  const options = theirs["job options"] || {}, of = (name, other) => options[name] ?? globals[name] ?? other;
  const job = { name: theirs.jobname || "", description: theirs.desc || "", group_id: theirs.groupid || 0, error: theirs.error || 0, options, rw: of("rw", "read"),
    engine: of("ioengine", ""), iodepth: Number.parseInt(of("iodepth", "1"), 10) || 1, unified: false };
  for (const direction of DIRECTIONS) if (theirs[direction]) job[direction] = readFioDirection(theirs[direction], `${job.name} ${direction}`);
  const used = DIRECTIONS.some((direction) => job[direction] && (job[direction].ios > 0 || LATENCIES.some((name) => job[direction][name])));
  if (theirs.mixed && !used) { job.unified = true; job.read = readFioDirection(theirs.mixed, job.name); }
  return job;
}

function readFioJson(text) {
  const document = parsedJson(lastDocument(text));
  const jobs = document.jobs || document.client_stats;
  if (!Array.isArray(jobs)) throw new NotRead("no result of fio: it has neither \"jobs\" nor \"client_stats\"");
  const globals = document["global options"] && !Array.isArray(document["global options"]) ? document["global options"] : {};
  const version = String(document["fio version"] || "").replace(/^fio-/, "");
  const run = { schema_version: NEWEST_SCHEMA, time_epoch_ms: document.timestamp_ms || (document.timestamp || 0) * 1000, program: { name: "fio", version }, host: { hostname: "" },
    global_options: globals, jobs: jobs.filter((job) => job.jobname !== "All clients").map((job) => readFioJob(job, globals)), findings: [], repetitions: [] };
  const histograms = run.jobs.some((job) => DIRECTIONS.some((of) => latencyOf(job[of])));
  return { what: `result of fio ${version}${histograms ? " (json+)" : ", without histograms"}`, result: { fathom: run } };
}
