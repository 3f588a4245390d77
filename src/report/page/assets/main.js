// What starts a page of a report: its results are in it, as JSON, and can be taken out again; its holders of figures say of which result, and of which job, they are.
const scripts = [...document.querySelectorAll("script.result")], read = new Map();

// Read when it is needed, once.
function partsOfNumber(number) {
  if (!read.has(number)) read.set(number, partsOf(resultIn(scripts[number].textContent)));
  return read.get(number);
}

function saveResult(number) {
  const all = documentsIn(scripts[number].textContent), text = all.length > 1 ? all.map((one) => JSON.stringify(one)).join("\n") : JSON.stringify(all[0], null, 2);
  save("result.json", new Blob([`${text}\n`], { type: "application/json" }));
}

document.querySelectorAll("details.text").forEach((details) => { details.open = false; });

document.querySelectorAll("article").forEach((article, number) => {
  const bar = element("div", "", "bar");
  button(bar, "Result as JSON", () => saveResult(number));
  article.append(bar);
});

for (const holder of document.querySelectorAll(".figures[data-result]")) {
  holder.classList.add("waiting");
  whenNear(holder, () => {
    const job = holder.dataset.job === undefined ? null : Number(holder.dataset.job);
    holder.classList.remove("waiting");
    for (const part of partsOfNumber(Number(holder.dataset.result))) if (part.job === job) showPart(part, holder);
  });
  if (figures.length < FIRST_FIGURES) doNow(holder);
}
