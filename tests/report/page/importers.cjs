// What the viewer's own readers make of files: node importers.cjs PLAYWRIGHT VIEWER FILE... Each file's normal form goes to VIEWER.read.json, with the percentiles that the
// page would show; importers_test.py compares it with what the program reads.
"use strict";
const { chromium } = require(process.argv[2]);
const fs = require("fs");
const path = require("path");
const [viewer, ...files] = process.argv.slice(3);

// In the page: a result, or why there is none, and the percentiles of each latency.
function readInPage([name, text, percents]) {
  const { readText, percentileOf } = window.fathomViewer, { edgesOf } = window.fathom;
  const percentiles = (latency) => Object.fromEntries(percents.map((p) => [p.toFixed(6), percentileOf(latency, p)]));
  const counts = ({ histogram_ns }) => (Array.isArray(histogram_ns) ? Object.fromEntries(histogram_ns) : histogram_ns);
  const edges = (latency) => Object.fromEntries(Object.keys(counts(latency) || {}).map((ns) => [ns, Object.values(edgesOf(latency, Number(ns)))]));
  const withPercentiles = (latency) => (latency && latency.n > 0 ? { ...latency, histogram_ns: counts(latency), asked: percentiles(latency), edges: edges(latency) } : latency);
  return readText(name, text).map(({ what, message, result }) => {
    if (!result) return { what, message };
    const run = result.fathom, jobsOf = (jobs) => (jobs || []).map((job) => {
      const out = { name: job.name, options: job.options };
      for (const of of ["read", "write", "trim"]) {
        if (!job[of]) continue;
        out[of] = { ...job[of] };
        for (const latency of ["slat", "clat", "lat", "intended_lat"]) if (job[of][latency]) out[of][latency] = withPercentiles(job[of][latency]);
      }
      return out;
    });
    const pagingOf = (paging) => paging && { ...paging, classes: paging.classes.map((one) => ({ ...one, latency: withPercentiles(one.latency) })) };
    const repetitions = (run.repetitions || []).map((one) => ({ jobs: jobsOf(one.jobs), paging: pagingOf(one.paging) }));
    return { what, host: run.host, jobs: jobsOf(run.jobs), paging: pagingOf(run.paging), repetitions };
  });
}

(async () => {
  const percents = [1, 5, 10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage(), out = { files: {}, console: [] };
  page.on("console", (message) => out.console.push(message.text()));
  page.on("pageerror", (error) => out.console.push(error.message));
  await page.goto(`file://${viewer}`);
  out.newest_schema = await page.evaluate(() => window.fathomViewer.newestSchema);
  for (const file of files) out.files[file] = await page.evaluate(readInPage, [path.basename(file), fs.readFileSync(file, "utf8"), percents]);
  await browser.close();
  fs.writeFileSync(`${viewer}.read.json`, JSON.stringify(out));
})().catch((error) => { console.error(error); process.exit(1); });
