// Starts the page of a report. The page contains its results as JSON, and can save them. Each holder of figures names
// its result and its job.
const scripts = [...document.querySelectorAll("script.result")], read = new Map();

// A result is parsed once, when it is needed. The first plot needs none of its packed lists.
function parsedOf(number) {
  if (!read.has(number)) read.set(number, { documents: packedDocumentsIn(scripts[number].textContent) });
  return read.get(number);
}

function partsOfResult(number) {
  const one = parsedOf(number);
  one.parts ??= partsOf(joinedDocuments(one.documents.map(unpacked)));
  return one.parts;
}

function showFirst(number, holder) {
  const { fathom } = parsedOf(number).documents[0];
  if (fathom.paging) partsOfResult(number);  // the buckets of an imported result follow from its findings
  addFigure(holder, FIRST, { name: jobsName(fathom.jobs || []), jobs: fathom.jobs || [], paging: fathom.paging, start_ms: startOf(fathom), utc_offset_s: fathom.utc_offset_s });
}

// Job and time; of another result its kind, and its time if it has one.
function resultStem(result) {
  if (result.fathom) return stemOf(jobsName(result.fathom.jobs || []), startOf(result.fathom), result.fathom.utc_offset_s);
  const [part] = partsOf(result), source = part ? part.source : {};
  return stemOf([String(result.format || "result").replace(/^fathom /, ""), result.job].filter(Boolean).join(" "), source.start_ms, source.utc_offset_s);
}

function saveResult(number) {
  const all = documentsIn(scripts[number].textContent), text = all.length > 1 ? all.map((one) => JSON.stringify(one)).join("\n") : JSON.stringify(all[0], null, 2);
  save(`${resultStem(all[all.length - 1])}.json`, new Blob([`${text}\n`], { type: "application/json" }));
}

document.querySelectorAll("details:is(.text, .finding, .job, .options, .together, .beside)").forEach((details) => { details.open = false; });
document.querySelectorAll("details.result").forEach((details, index) => { details.open = index === 0; });

// Unfolds the target of a link, and all elements that contain it.
function unfold() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let one = target; one; one = one.parentElement) if (one.localName === "details") one.open = true;
  const inside = target.querySelector(":scope > details.result");
  if (inside) inside.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();

document.querySelectorAll("article").forEach((article, number) => {
  const bar = element("div", "", "bar");
  button(bar, "Result as JSON", () => saveResult(number));
  (article.querySelector(":scope > details.result") || article).append(bar);
});

for (const holder of document.querySelectorAll(".figures[data-result]")) {
  holder.classList.add("waiting");
  whenNear(holder, () => {
    const job = holder.dataset.job === undefined ? null : Number(holder.dataset.job);
    holder.classList.remove("waiting");
    if (holder.dataset.first) return showFirst(Number(holder.dataset.result), holder);
    for (const part of partsOfResult(Number(holder.dataset.result))) if (part.job === job) showPart(part, holder);
  });
  if (figures.length < FIRST_FIGURES && !holder.closest("details:not([open])")) doNow(holder);
}
