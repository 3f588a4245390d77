// Results of fathom: the part "fathom" is the complete result. Only runs have distributions to plot. For other
// documents, a message names their kind.
const OLDEST_SCHEMA = 14, NEWEST_SCHEMA = 15;
const LATENCIES = ["slat", "clat", "lat", "intended_lat", "sync_lat"];

class NotRead extends Error {}

// If there is text around the document, it is between a line "{" and a line "}".
function documentIn(text) {
  if (/^\s*[{[]/.test(text)) return text;
  const begin = text.indexOf("\n{\n"), end = text.indexOf("\n}\n", begin);
  return begin < 0 || end < 0 ? text : text.slice(begin + 1, end + 2);
}

function parsedJson(text) {
  const document = documentIn(text).trim();
  if (document === "") throw new NotRead("an empty file");
  if (document.includes("\0")) throw new NotRead("a binary file: neither JSON, XML, HTML nor a log of fio");
  try {
    return JSON.parse(document);
  } catch (error) {
    if (document[0] !== "{" && document[0] !== "[") throw new NotRead("neither JSON, XML, HTML nor a log of fio");
    const cut = /end of JSON|[Uu]nterminated/.test(error.message) || !/[}\]]$/.test(document);
    throw new NotRead(cut ? "cut off: its JSON document does not end" : `no JSON document: ${error.message}`);
  }
}

// The mean is computed from an integer sum. So a result from an older file has the values of the newest schema.
function readLatency(latency, buckets, where) {
  if (!latency || !(latency.n > 0)) return latency;
  const sum = Number.isSafeInteger(latency.sum_ns) ? latency.sum_ns : Math.round(latency.mean_ns * latency.n);
  const out = { ...latency, sum_ns: sum, mean_ns: sum / latency.n, buckets };
  if (out.histogram_ns && pairsOf(out.histogram_ns).length === 0) out.histogram_ns = null;
  if (!out.histogram_ns) return { ...out, histogram_ns: null };
  const total = totalOf(out.histogram_ns);
  if (total !== out.n) throw new NotRead(`damaged: the counts of a histogram of ${where} add up to ${total}, not to its ${out.n}`);
  const listed = Object.keys(out.percentiles_ns || {}).map(Number);
  out.percentiles_ns = percentileTable(out, listed.length ? listed : LISTED_PERCENTILES);
  return out;
}

function readLatenciesOf(job, buckets) {
  for (const of of DIRECTIONS)
    if (job[of]) for (const name of LATENCIES) if (job[of][name]) job[of][name] = readLatency(job[of][name], buckets, `${job.name} ${of}`);
}

function checkSchema(run) {
  const schema = run.schema_version;
  if (!Number.isInteger(schema) || schema < 1) throw new NotRead("damaged: no schema_version in \"fathom\"");
  const order = schema > NEWEST_SCHEMA ? "newer" : "older";
  if (schema < OLDEST_SCHEMA || schema > NEWEST_SCHEMA) throw new NotRead(`of schema ${schema}, ${order} than this page reads: ${OLDEST_SCHEMA} and ${NEWEST_SCHEMA}`);
  if (!Array.isArray(run.jobs)) throw new NotRead("damaged: no \"jobs\" in \"fathom\"");
}

function readParts(run, buckets) {
  for (const job of run.jobs || []) readLatenciesOf(job, buckets);
  for (const one of (run.paging && run.paging.classes) || []) one.latency = readLatency(one.latency, buckets, one.class);
}

// Takes a parsed document of fathom, changes it and returns it.
function readOurs(document) {
  if (document === null) throw new NotRead("JSON, but no result of fathom or fio");
  const pmu = document.format === "fathom pmu stat";
  if (pmu && !document.intervals) throw new NotRead("counts of fathom pmu stat without intervals (-I): there is nothing to draw over time");
  if (pmu || ["fathom compare", "fathom sweep"].includes(document.format)) return { what: `${document.format}: no run, so there is nothing to overlay`, result: document };
  if (typeof document.format === "string") throw new NotRead(`a document of fathom (${document.format}), but no run: it has no distributions to overlay`);
  const run = document.fathom;
  if (document.intervals && document.time_ns) throw new NotRead("cut off: intervals of fathom pmu stat without the document behind them");
  if (!run || typeof run !== "object") throw new NotRead("JSON, but no result of fathom or fio");
  checkSchema(run);
  const repetitions = Array.isArray(run.repetitions) ? run.repetitions : [];
  for (const one of [run, ...repetitions]) readParts(one, bucketsOfRun(run));
  return { what: `result of fathom, schema ${run.schema_version}${repetitions.length > 1 ? `, ${repetitions.length} repetitions` : ""}`, result: document };
}
