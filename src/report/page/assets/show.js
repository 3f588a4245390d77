// Which figures a result has, and where they stand. A part of a result is { name, job (its index; null: of the whole), source, kinds }; a page puts the figures of a part beside
// its tables (showPart), a viewer has none and takes all with headings (showResult). Both need nothing but the result as `fathom run` writes it in JSON.
const JOB_KINDS = [HISTOGRAM, PERCENTILES, IOPS];

function partsOf(result) {
  const run = result && result.fathom;
  if (!run) return [];
  return (run.jobs || []).map((job, index) => ({ name: job.name, job: index, source: { name: job.name, result, job }, kinds: JOB_KINDS }));
}

function showPart(part, holder) {
  for (const kind of part.kinds) addFigure(holder, kind, part.source);
}

// All figures of one result, in sections of their own.
function showResult(result, holder) {
  for (const part of partsOf(result)) {
    const section = element("section", "", "job");
    section.append(element("h3", part.name));
    holder.append(section);
    showPart(part, section);
    if (section.childElementCount === 1) section.remove();
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
});
addEventListener("afterprint", () => {
  folded.forEach((details) => { details.open = false; });
  printing = false;
  redraw();
});
window.fathom = { showResult };
