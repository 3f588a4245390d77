// Selects the figures of a result and their places. A part of a result is { name, job, source, kinds }. `job` is an
// index, or null for the whole result, or -1 for the comparison of jobs. A page puts the figures of a part next to its
// tables (showPart). A viewer has no tables and shows all figures with headings (showResult). Both need only the result
// in JSON.
const JOB_KINDS = [...LATENCY_KINDS, ...SERIES_KINDS, ASKED];

function runParts(run) {
  const out = [], jobs = run.jobs || [], { utc_offset_s } = run;
  if (jobs.length > 1) out.push({ name: "All jobs", job: null, source: { name: "all jobs", jobs }, kinds: MERGED_KINDS });
  if (jobs.length > 1) out.push({ name: "Jobs side by side", job: -1, source: { name: "the jobs", jobs }, kinds: BESIDE_KINDS });
  const groups = (run.groups || []).filter((group) => DIRECTIONS.some((of) => hasSeries(group[of])));
  for (const group of groups) {
    const start_ms = Math.min(...jobs.filter((job) => job.group_id === group.group_id).map((job) => job.start_epoch_ms ?? run.time_epoch_ms));
    const name = run.groups.length > 1 ? `All jobs of group ${group.group_id}` : "All jobs over time";
    out.push({ name, job: null, source: { name: name.toLowerCase(), title: run.groups.length > 1 ? `group ${group.group_id}` : "", job: group, start_ms, utc_offset_s }, kinds: GROUP_SERIES_KINDS });
  }
  for (const split of (run.breakdown && run.breakdown.classes) || []) {
    const name = `${split.job} ${split.direction}`;
    out.push({ name: `Where the time of ${name} passed`, job: null, source: { name, title: name, split }, kinds: PART_KINDS });
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

function partsOf(result) {
  if (!result) return [];
  if (result.format === "fathom compare") return [{ name: "Comparison", job: null, source: { name: "the comparison", compare: result }, kinds: COMPARE_KINDS }];
  if (result.format === "fathom sweep")
    return (result.curves || []).map((curve) => ({ name: curve.of || "Curve", job: null, source: { name: result.job, title: curve.of, sweep: result, curve },
      kinds: [curveKindOf(result)] }));
  if (result.format === "fathom pmu stat")
    return [{ name: "Counters", job: null, source: { name: "the counters", pmu: result, start_ms: result.start_epoch_ms, utc_offset_s: result.utc_offset_s }, kinds: COUNTER_KINDS }];
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
