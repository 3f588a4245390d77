// Selects the figures of a result and their places. A part of a result is { name, job, source, kinds }. `job` is an
// index (of a job, or of a curve of a sweep), or null for the whole result, or -1 for the comparison of jobs. A page puts the figures of a part next to its
// tables (showPart). A viewer has no tables and shows all figures with headings (showResult). Both need only the result
// in JSON.
const JOB_KINDS = [...LATENCY_KINDS, ...SERIES_KINDS, ASKED];

const jobsName = (jobs) => (jobs.length > 1 ? `${jobs[0].name} and ${jobs.length - 1} more` : jobs.length ? jobs[0].name : "the accesses");
// null: unknown.
function startOf({ jobs, paging, time_epoch_ms }) {
  const known = [...(jobs || []).map((job) => job.start_epoch_ms), paging && paging.start_epoch_ms].filter((ms) => ms != null);
  return known.length ? Math.min(...known) : time_epoch_ms ?? null;
}

function runParts(run) {
  const out = [], jobs = run.jobs || [], { utc_offset_s } = run;
  const together = { name: jobsName(jobs), jobs, start_ms: startOf(run), utc_offset_s };
  if (jobs.length > 1) out.push({ name: "All jobs", job: null, source: { ...together }, kinds: MERGED_KINDS });
  if (jobs.length > 1) out.push({ name: "Jobs side by side", job: -1, source: { ...together }, kinds: BESIDE_KINDS });
  const groups = (run.groups || []).filter((group) => DIRECTIONS.some((of) => hasSeries(group[of])));
  for (const group of groups) {
    const start_ms = Math.min(...jobs.filter((job) => job.group_id === group.group_id).map((job) => job.start_epoch_ms ?? run.time_epoch_ms));
    const name = run.groups.length > 1 ? `All jobs of group ${group.group_id}` : "All jobs over time";
    out.push({ name, job: null, source: { name: jobsName(jobs), title: run.groups.length > 1 ? `group ${group.group_id}` : "", job: group, start_ms, utc_offset_s }, kinds: GROUP_SERIES_KINDS });
  }
  for (const split of (run.breakdown && run.breakdown.classes) || []) {
    const name = `${split.job} ${split.direction}`;
    out.push({ name: `Where the time of ${name} passed`, job: null, source: { name, title: name, split, start_ms: startOf(run), utc_offset_s }, kinds: PART_KINDS });
  }
  if (run.paging) {
    for (const { latency } of run.paging.classes || []) if (latency) latency.buckets ??= bucketsOfRun(run);
    const source = { name: "the accesses", paging: run.paging, start_ms: run.paging.start_epoch_ms, utc_offset_s };
    out.push({ name: "Accesses", job: null, source, kinds: PAGING_KINDS });
  }
  jobs.forEach((job, index) => {
    const start_ms = job.start_epoch_ms == null ? run.time_epoch_ms : job.start_epoch_ms;
    out.push({ name: job.name, job: index, source: { name: job.name, job, start_ms, utc_offset_s }, kinds: JOB_KINDS });
  });
  return out;
}

function compareParts(compare) {
  const source = { name: "comparison", compare, start_ms: (compare.sides || []).reduce((last, side) => Math.max(last, side.last_epoch_ms || 0), 0) || null };
  return [{ name: "Changes", job: 0, source, kinds: COMPARE_KINDS.slice(0, 1) }, { name: "Distributions", job: 1, source, kinds: COMPARE_KINDS.slice(1) }];
}

// By the format of the result.
const PARTS_OF = {
  "fathom compare": compareParts,
  "fathom sweep": (sweep) => (sweep.curves || []).map((curve, job) => ({ name: curve.of || "Curve", job, source: { name: sweep.job, title: curve.of, sweep, curve }, kinds: [curveKindOf(sweep)] })),
  "fathom pmu stat": (pmu) => [{ name: "Counters", job: null, source: { name: pmu.command || "counters", pmu, start_ms: pmu.start_epoch_ms, utc_offset_s: pmu.utc_offset_s }, kinds: COUNTER_KINDS }],
  "fathom clock test": (test) => [{ name: "Pairs of CPUs", job: null, source: { name: "clock test", test }, kinds: CLOCK_TEST_KINDS }],
  "fathom clock sources": (clocks) => [{ name: "Clocks", job: null, source: { name: "clock sources", clocks }, kinds: CLOCK_SOURCES_KINDS }],
};

function partsOf(result) {
  if (!result) return [];
  if (PARTS_OF[result.format]) return PARTS_OF[result.format](result);
  return result.fathom ? runParts(result.fathom) : [];
}

function showPart(part, holder) {
  for (const kind of part.kinds) addFigure(holder, kind, part.source);
}

// All figures of one result, in separate sections.
function showResult(result, holder) {
  for (const part of partsOf(result)) {
    const section = element("section", "", "job");
    section.append(element("h3", part.name));
    section.classList.add("waiting");
    holder.append(section);
    whenNear(section, () => {
      section.classList.remove("waiting");
      showPart(part, section);
      if (section.childElementCount === 1) section.remove();
    });
  }
}

darkMode.addEventListener("change", redraw);
let waiting = 0;
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 100); });
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((details) => { details.open = true; });
  printing = true;
  redraw();
  doAll();
});
addEventListener("afterprint", () => {
  folded.forEach((details) => { details.open = false; });
  printing = false;
  redraw();
});
window.fathom = { showResult, drawAll: doAll, edgesOf };
