// pmbench's reports (XML, 0.7 to 0.8, Linux and Windows), as src/import/pmbench/ reads them. They have histograms by
// direction; each sample counts as the middle of its bin. The threads' averages are printed twice, in us and in ticks:
// the chosen value is within the bounds of both.
function binsOfBucket(bucket) {
  const interval = bucket.need("bucket_interval"), low = interval.count("interval_lo"), high = interval.count("interval_hi"), sum = bucket.count("sum_count");
  if (low === 0 && high === 8) return [[128, sum]];
  if (low >= 23 && low <= 30 && high === (low === 30 ? 32 : low + 1)) return [[(2 ** low + 2 ** (low === 30 ? 32 : low + 1)) / 2, sum]];
  if (low < 8 || low > 22 || high !== low + 1) throw new NotRead(`no bucket of pmbench's is [2^${low}, 2^${high}) ns`);
  const bins = new Array(16).fill(0);
  for (const hex of bucket.need("bucket_hexes").children("hex")) {
    const index = Number(hex.attribute("index")), count = Number(hex.content);
    if (!(index in bins) || !Number.isInteger(count)) throw new NotRead("damaged: a <hex> without an index of 0 to 15 or a count");
    bins[index] = count;
  }
  const all = bins.reduce((total, count) => total + count, 0);
  if (all !== sum) throw new NotRead(`damaged: the bins of a bucket add up to ${all}, not to its ${sum}`);
  return bins.map((count, i) => [2 ** low + (i + 0.5) * 2 ** (low - 4), count]);
}

function classesOfStatistics(report) {
  const histograms = report.child("statistics")?.children("histogram") ?? [];
  return ["read", "write"].map((direction) => {
    const histogram = histograms.find((one) => one.attribute("type") === direction);
    return { class: "hit", direction, latency: latencyOfBins((histogram?.children("histo_bucket") ?? []).flatMap(binsOfBucket), PMBENCH_BUCKETS) };
  }).filter((one) => one.latency.n > 0);
}

const inBoth = (a, b) => ({ low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) });
const bothOrFirst = (a, b) => { const c = inBoth(a, b); return c.low < c.high ? c : a; };

// pmbench stores a net average in a float. For a large one, the rounding exceeds the four printed decimals.
function printedBounds(us, asFloat) {
  const value = Math.fround(us), rounding = 2 ** (Math.floor(Math.log2(Math.abs(value) || 1e-38)) - 24);
  return asFloat && rounding > 0.00005 ? { low: (value - rounding) * 1e3, high: (value + rounding) * 1e3 } : { low: us * 1e3 - 0.05, high: us * 1e3 + 0.05 };
}

function boundsOf(part, prefix, ticksPerNs) {
  const us = part.number(`${prefix}_us`), ticks = part.number(`${prefix}_clk`), printed = printedBounds(us, prefix === "netavg");
  if (ticksPerNs <= 0) return printed;
  const cut = { low: (ticks > 0 ? ticks : ticks - 1) / ticksPerNs, high: (ticks < 0 ? ticks : ticks + 1) / ticksPerNs };
  const first = inBoth(printed, cut), rounded = 4e-7 * Math.abs(us) * 1e3;
  if (first.low < first.high) return first;
  const wide = inBoth({ low: printed.low - rounded, high: printed.high + rounded }, cut);
  return wide.low < wide.high ? wide : printed;
}

function workerOf(thread, ticksPerNs, index) {
  const details = thread.need("result_details"), samples = details.count("details_samples");
  const latency = boundsOf(details.need("details_latency"), "latency", ticksPerNs), overhead = boundsOf(details.need("details_overhead"), "overhead", ticksPerNs);
  const net = boundsOf(thread.need("result_netavg"), "netavg", ticksPerNs);
  const each_ns = middleOf(bothOrFirst(latency, { low: overhead.low + net.low, high: overhead.high + net.high }));
  const overhead_ns = Math.max(0, middleOf(bothOrFirst(overhead, { low: each_ns - net.high, high: each_ns - net.low })));
  return { process: 0, thread: index, accesses: samples, wall_ns: totalTime(each_ns, samples), overhead_ns, ...warmupOf(thread.child("warmup_details"), ticksPerNs) };
}

const middleOf = ({ low, high }) => (low + high) / 2;
const totalTime = (each_ns, count) => Math.round(Math.max(0, each_ns * count));

// A cold run has no warm-up.
function warmupOf(warmup, ticksPerNs) {
  if (!warmup) return { warmup_accesses: 0, warmup_ns: 0 };
  const warmup_accesses = warmup.count("warmup_total");
  return { warmup_accesses, warmup_ns: totalTime(middleOf(boundsOf(warmup.need("warmup_latency"), "warmup", ticksPerNs)), warmup_accesses) };
}

// Snapshots of the machine's memory; Windows has other counters. Changes are not read, because they follow from these.
const MEMORY_COUNTS = ["free_kib", "buffer_kib", "cache_kib", "active_kib", "inactive_kib", "pgpgin", "pgpgout", "pswpin", "pswpout", "pgmajfault"];
function memoryItemOf(name, info) {
  if (!info.child("AvailPhys")) return { name, ...Object.fromEntries(MEMORY_COUNTS.map((count) => [count, info.number(count)])) };
  return { name, windows: Object.fromEntries(info.parts.map((part) => [part.name, info.number(part.name)])) };
}
const memoryItemsOf = (report) => (report.child("sys_mem_info")?.children("sys_mem_item") ?? []).map((item) => memoryItemOf(item.attribute("name"), item.need("mem_item_info")));

function workersOf(report) {
  const ticksPerNs = (report.need("machine_info").count("freq_khz") * 1e3) / 1e9, result = report.need("result");
  const workers = result.children("result_thread").map((thread, i) => workerOf(thread, ticksPerNs, i));
  if (workers.length === 0) throw new NotRead("damaged: no <result_thread> in <result>");
  return workers;
}

function pagingOfParams(report) {
  const params = report.need("signature").need("params"), mib = 2 ** 20, access = params.text("access");
  return { duration_s: params.count("duration"), map_bytes: params.count("mapsize") * mib, set_bytes: params.count("setsize") * mib, page_bytes: 4096,
    pattern: `legacy:${params.text("pattern")}`, shape: params.number("shape"), memory: "anonymous", access: access === "histo" ? "histogram" : access,
    fill: params.number("initialize") ? "random, one byte in four" : "none", read_percent: params.count("ratio"), threads: params.child("jobs") ? params.count("jobs") : 1,
    processes: 1, offset_words: params.number("offset"), delay_ticks: params.count("delay"), cold: params.text("cold") === "1", seed: 0,
    clock: { stamps: params.text("tsops") }, classified: false, series: [] };
}

// GMT. Months count from 0, years from 1900 except in older files of fathom. Windows has texts; null: unknown.
function timeOf(signature) {
  const time = signature.child("time_info");
  if (!time || time.child("date")) return null;
  const [year, ...rest] = ["year", "mon", "mday", "hour", "min", "sec"].map((name) => time.count(name));
  return Date.UTC(year < 1000 ? year + 1900 : year, ...rest) || null;
}

function withScore(paging, workers) {
  const accesses = workers.reduce((sum, worker) => sum + worker.accesses, 0), counted = paging.classes.reduce((sum, one) => sum + one.latency.n, 0);
  const window_ns = Math.max(...workers.map((worker) => worker.wall_ns));
  const score = { accesses_per_s: window_ns > 0 ? (accesses * 1e9) / window_ns : 0, how: "accesses over the longest thread's time" };
  return { ...paging, window_ns, accesses: counted || accesses, score, workers };
}

function readPmbench(text) {
  const root = parsedXml(text);
  if (root.name !== "pmbenchmark") throw new NotRead(`XML, but <${root.name.slice(0, 40)}> is not pmbench's report, whose root is <pmbenchmark>`);
  const report = root.need("report"), ours = report.child("fathom"), run = { schema_version: NEWEST_SCHEMA, jobs: [], global_options: {}, findings: [], repetitions: [] };
  if (ours && ours.attribute("form")) return readWholeElement(ours, run);
  const signature = report.need("signature"), info = signature.need("pmbench_info"), os = signature.need("os_info");
  const version = os.need("version_info"), model = report.need("machine_info").text("modelname");
  run.program = { name: "pmbench", version: info.text("version_number").replace("pmbench ", "") };
  run.host = { hostname: os.text("hostname"), kernel: version.text("release"), machine: version.text("arch"), cpu_model: model === "unsupported" ? "" : model };
  run.time_epoch_ms = timeOf(signature);
  run.paging = { ...pagingOfParams(report), classes: ours ? [] : classesOfStatistics(report), start_epoch_ms: run.time_epoch_ms, memory_items: memoryItemsOf(report),
    imported: { program: info.text("version_number"), options: info.text("version_options"), os_name: version.text("os_name") } };
  if (ours) run.paging = completedByElement(ours, run.paging);
  const workers = workersOf(report);
  if (ours) run.paging.workers = run.paging.workers.map((worker, i) => ({ ...workers[i], ...worker }));
  if (!run.paging.score) run.paging = withScore(run.paging, workers);
  return { what: ours ? "result of fathom paging (XML)" : "report of pmbench", result: { fathom: run } };
}
