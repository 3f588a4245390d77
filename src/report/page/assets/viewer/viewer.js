// Starts the viewer. Files are dropped anywhere on the page, or chosen. A change of ticked results redraws the plots,
// once for many changes.
const part = (id) => document.getElementById(id);
const tickedMeasures = () => entries.filter((entry) => entry.ticked).flatMap((entry) => entry.measures);

function drawAll() {
  const measures = tickedMeasures();
  for (const id of ["overlay", "merged", "pivot", "bands", "threads"]) {
    clearFigures(part(id));
    part(`${id}-part`).hidden = measures.length === 0;
  }
  showThreads(part("threads"), entries.filter((entry) => entry.ticked).flatMap((entry) => entry.threads));
  part("threads-part").hidden = part("threads").childElementCount === 0;
  if (measures.length === 0) return;
  part("overlay-note").textContent = overlayNote(measures);
  overlayFigures(part("overlay"), measures);
  showMerged(part("merged"), measures);
  showPivot(part("pivot"), measures);
  showBands(part("bands"), measures);
  part("bands-part").hidden = part("bands").childElementCount === 0;
}

let planned = 0;
function changed() {
  clearTimeout(planned);
  planned = setTimeout(drawAll, 50);
}

// A log of bandwidth or latency has no number of I/Os per interval, but a report page plots that rate.
function withoutUnknownRates(result) {
  for (const job of (result.fathom && result.fathom.jobs) || [])
    for (const of of DIRECTIONS) if (job[of] && (job[of].series || []).some((point) => point.ios == null)) job[of].series = [];
  return result;
}

// The file is read again, because the list does not have the complete result.
let shownWhole = null;
async function whole(entry) {
  const read = (await readFile(entry.file))[entry.index], holder = part("whole"), title = part("whole-title");
  clearFigures(holder);
  shownWhole = entry;
  title.textContent = entry.file.name;
  part("whole-part").hidden = false;
  if (read && read.result) showResult(withoutUnknownRates(read.result), holder);
  title.focus();
}

function hideWhole() {
  shownWhole = null;
  part("whole-part").hidden = true;
  clearFigures(part("whole"));
}

function progress(done, all) {
  const bad = entries.filter((entry) => entry.message !== "").length;
  const count = `${entries.length} result${entries.length === 1 ? "" : "s"}`;
  part("status").textContent = done < all ? `${done} of ${all} files read` : `${count}${bad ? `, ${bad} of them cannot be shown` : ""}`;
}

let queue = Promise.resolve();
function take(files) {
  const all = [...files];  // the browser empties the list after the event
  part("list").hidden = part("actions").hidden = all.length === 0 && entries.length === 0;
  queue = queue.then(() => addFiles(all, part("list"), { changed, whole, remove, progress })).then(changed);
  return queue;
}

function tickAll(ticked) {
  for (const entry of entries) if (!entry.box.disabled) entry.ticked = entry.box.checked = ticked;
  changed();
}

function removeAll() {
  entries.length = 0;
  part("list").replaceChildren();
  part("list").hidden = part("actions").hidden = true;
  hideWhole();
  part("status").textContent = "";
  changed();
}

// Keeps the keyboard focus at the place in the list.
function remove(entry) {
  const index = entries.indexOf(entry), next = entry.row.nextElementSibling || entry.row.previousElementSibling;
  entries.splice(index, 1);
  entry.row.remove();
  if (shownWhole === entry) hideWhole();
  if (entries.length === 0) removeAll();
  else progress(1, 1);
  (next ? next.querySelector("button:last-child") : part("files")).focus();
  if (entry.ticked) changed();
}

button(part("actions"), "Tick all", () => tickAll(true));
button(part("actions"), "Tick none", () => tickAll(false));
button(part("actions"), "Remove all", removeAll);
part("files").addEventListener("change", () => { take(part("files").files); part("files").value = ""; });
addEventListener("dragover", (event) => { event.preventDefault(); part("drop").classList.add("over"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) part("drop").classList.remove("over"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  part("drop").classList.remove("over");
  take(event.dataTransfer.files);
});
window.fathomViewer = { readText, percentileOf, newestSchema: NEWEST_SCHEMA };
