// Starts the page of a report. The page contains its results as JSON, and can save them. Each holder of figures names
// its result and its job.
const scripts = [...document.querySelectorAll("script.result")], read = new Map();

// A result is read once, when it is needed, together with its parts.
function resultOf(number) {
  if (!read.has(number)) {
    const result = resultIn(scripts[number].textContent);
    read.set(number, { result, parts: partsOf(result) });
  }
  return read.get(number);
}

function showFirst(number, holder) {
  const { fathom } = resultOf(number).result;
  const { name = "all jobs", start_epoch_ms } = (fathom.jobs || []).length === 1 ? fathom.jobs[0] : {};
  addFigure(holder, FIRST, { name, jobs: fathom.jobs || [], paging: fathom.paging, start_ms: start_epoch_ms ?? fathom.time_epoch_ms, utc_offset_s: fathom.utc_offset_s });
}

function saveResult(number) {
  const all = documentsIn(scripts[number].textContent), text = all.length > 1 ? all.map((one) => JSON.stringify(one)).join("\n") : JSON.stringify(all[0], null, 2);
  save(`${document.title.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 60) || "result"}.json`, new Blob([`${text}\n`], { type: "application/json" }));
}

document.querySelectorAll("details:is(.text, .finding, .job, .options, .together)").forEach((details) => { details.open = false; });
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
    for (const part of resultOf(Number(holder.dataset.result)).parts) if (part.job === job) showPart(part, holder);
  });
  if (figures.length < FIRST_FIGURES && !holder.closest("details:not([open])")) doNow(holder);
}
