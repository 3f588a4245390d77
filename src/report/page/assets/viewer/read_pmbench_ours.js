// The element `fathom` of fathom's own XML reports. A complete one (it has a form) is the result. An older one
// completes pmbench's elements. Only the data that the plots need is read.
const WHOLE_FORM = "2";

function latencyOfElement(element) {
  const bins = element.text("bins_ns").trim(), latency = { n: element.count("count"), buckets: FINE_BUCKETS, histogram_ns: {} };
  for (const name of ["sum_ns", "min_ns", "max_ns"]) latency[name] = element.count(name);
  for (const word of bins === "" ? [] : bins.split(" ")) {
    const [ns, count] = word.split(":").map(Number), key = bucketValue(bucketIndex(ns));
    if (!(count >= 0)) throw new NotRead("damaged: bins_ns are pairs of a value and a count");
    latency.histogram_ns[key] = (latency.histogram_ns[key] || 0) + count;
  }
  const total = totalOf(latency.histogram_ns);
  if (latency.n === 0 || total !== latency.n) throw new NotRead(`damaged: the bins of a <class> add up to ${total}, not to its ${latency.n}`);
  latency.mean_ns = latency.sum_ns / latency.n;
  const squares = Number(element.text("sum_squares_ns2"));
  latency.stddev_ns = latency.n > 1 ? Math.sqrt(Math.max(0, (squares - latency.sum_ns * latency.mean_ns) / (latency.n - 1))) : 0;
  latency.percentiles_ns = percentileTable(latency);
  return latency;
}

function classesOfElement(fathom) {
  return (fathom.child("classes")?.children("class") ?? []).map((one) => ({ class: one.attribute("name"), direction: one.attribute("type"), latency: latencyOfElement(one) }));
}

function seriesOfElement(fathom) {
  const series = fathom.child("series");
  if (!series) return [];
  const columns = series.children("column").map((column) => (column.attribute("of") ? null : column.content));
  return series.children("point").map((point) => {
    const values = point.content.trim().split(" ").map(Number);
    return Object.fromEntries(columns.map((name, i) => [name, values[i]]).filter(([name]) => name));
  });
}

const namedTexts = (element, each) => Object.fromEntries((element?.children(each) ?? []).map((one) => [one.attribute("name"), one.content]));

function pressureOfElement(pressure) {
  const swaps = (pressure.child("swaps")?.children("swap") ?? []).map((swap) => ({ name: swap.text("name"), path: swap.text("path"), compressor: swap.text("compressor") }));
  return { limit_bytes: Number(pressure.text("limit_bytes")), swaps, settings: namedTexts(pressure.child("settings"), "setting") };
}

// The fields of src/result/paging_fields.h that are useful in a pivot, if the element has them.
function fieldsOfElement(fathom) {
  const out = {}, take = (ours, theirs, make) => { if (fathom.child(theirs)) out[ours] = make(fathom.text(theirs)); };
  for (const name of ["pattern", "memory", "access", "fill"]) take(name, name, String);
  for (const name of ["duration_s", "shape", "read_percent", "map_bytes", "set_bytes", "page_bytes", "processes", "offset_words", "delay_ticks", "seed", "window_ns"])
    take(name, name, Number);
  take("threads", "threads_a_process", Number);
  take("start_epoch_ms", "start_epoch_ms", (text) => Number(text) || null);
  take("cold", "cold", (text) => text === "1");
  if (fathom.child("stamps")) out.clock = { stamps: fathom.text("stamps") };
  if (fathom.child("pressure")) out.pressure = pressureOfElement(fathom.child("pressure"));
  if (fathom.child("conditions")) out.conditions = namedTexts(fathom.child("conditions"), "condition");
  const score = fathom.child("score");
  if (score) out.score = { accesses_per_s: score.number("accesses_per_s"), low_per_s: score.number("low"), high_per_s: score.number("high"), how: score.text("how") };
  return out;
}

function workersOfElement(fathom) {
  const counts = ["process", "thread", "reads", "writes", "wall_ns"], others = ["overhead_ns", "warmup_accesses", "warmup_ns", "kernel_minor", "kernel_major"];
  return (fathom.child("threads")?.children("thread") ?? []).map((thread) => Object.fromEntries([...counts.map((name) => [name, thread.count(name)]),
    ...others.filter((name) => thread.child(name)).map((name) => [name, thread.number(name)])]));
}

function completedByElement(fathom, paging) {
  const out = { ...paging, classified: true, ...fieldsOfElement(fathom), classes: classesOfElement(fathom), series: seriesOfElement(fathom), workers: workersOfElement(fathom) };
  const snapshots = fathom.child("snapshots");
  if (snapshots) out.memory_items = snapshots.children("snapshot").map((one) => memoryItemOf(one.attribute("name"), one));
  const counted = out.classes.reduce((sum, one) => sum + one.latency.n, 0);
  out.accesses = counted || out.workers.reduce((sum, worker) => sum + worker.reads + worker.writes, 0);
  return out;
}

function readWholeElement(fathom, run) {
  const form = fathom.attribute("form").slice(0, 40);
  if (form !== WHOLE_FORM) throw new NotRead(`<fathom> of form "${form}": this page reads form ${WHOLE_FORM} and those without one`);
  const host = fathom.child("host"), repetitions = fathom.child("repetitions")?.children("repetition") ?? [];
  run.program = { name: "fathom", version: fathom.attribute("version") };
  run.time_epoch_ms = Number(fathom.text("time_epoch_ms")) || null;
  run.host = Object.fromEntries(["hostname", "kernel", "machine", "cpu_model", "distribution", "clock_source", "governor", "hypervisor"].map((name) => [name, host ? host.text(name) : ""]));
  for (const name of ["cpus_online", "cpus_allowed", "memory_bytes"]) run.host[name] = Number(host?.text(name)) || null;
  run.paging = completedByElement(fathom, {});
  if (run.paging.workers.length === 0 && repetitions.length === 0) throw new NotRead("damaged: neither <threads> nor <repetitions> in <fathom>");
  run.repetitions = repetitions.map((repetition) => ({ paging: completedByElement(repetition, {}) }));
  return { what: `result of fathom paging (XML)${repetitions.length > 1 ? `, ${repetitions.length} repetitions` : ""}`, result: { fathom: run } };
}
