// What starts a page of a report: its results are in it, as JSON; its holders of figures say of which result, and of which job, they are.
const results = [...document.querySelectorAll("script.result")].map((script) => {
  try {
    return partsOf(JSON.parse(script.textContent));
  } catch {
    return [];  // a line an interval, as of `fathom pmu stat -I`: it has no plots
  }
});
for (const holder of document.querySelectorAll(".figures[data-result]")) {
  const job = holder.dataset.job === undefined ? null : Number(holder.dataset.job);
  for (const part of results[Number(holder.dataset.result)]) if (part.job === job) showPart(part, holder);
}
