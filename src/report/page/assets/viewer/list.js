// The list of dropped files. Each result has a row with a checkbox. A comparison or a sweep can be viewed, but not
// ticked. A file that could not be read has a row with the reason. Ten thousand files are ten thousand rows: they are
// read one by one, with pauses in which the page reacts. The first few are ticked, and only ticked results are drawn.
const TICKED_AT_FIRST = 6;
const entries = [];
let rowsMade = 0;

function summaryOf(measures) {
  const jobs = new Set(measures.map((measure) => measure.job)).size, kinds = [...new Set(measures.map((measure) => measure.of))];
  const samples = measures.reduce((sum, measure) => sum + (measure.latency && !measure.latency.windows ? measure.latency.n : 0), 0);
  const one = samples === 1 ? "; one sample: no distribution" : samples > 0 ? `; ${countText(samples)} samples` : "";
  return `${jobs} job${jobs === 1 ? "" : "s"}: ${kinds.join(", ")}${one}`;
}

function entryOf(file, index, read) {
  const entry = { file, index, what: read.what, message: read.message || "", measures: [], threads: [], ticked: false, apart: Boolean(read.result && !read.result.fathom) };
  if (entry.message) return entry;
  try {
    const name = index > 0 ? `${file.name} #${index + 1}` : file.name;
    entry.measures = measuresOf(read.result, name);
    entry.threads = threadsOf(read.result, name);
  } catch (error) {
    entry.message = messageOf(error);
  }
  if (!entry.message && entry.measures.length === 0 && !entry.apart) entry.message = "no samples";
  return entry;
}

function rowOf(entry, { changed, whole, remove }) {
  const row = element("li"), box = element("input"), texts = element("label"), buttons = element("span", "", "buttons"), id = `entry${rowsMade++}`, bad = entry.message !== "";
  box.type = "checkbox";
  box.id = texts.htmlFor = id;
  box.checked = entry.ticked;
  box.disabled = bad || entry.apart;
  box.addEventListener("change", () => { entry.ticked = box.checked; changed(); });
  const said = bad ? entry.what + entry.message : entry.apart ? entry.what : `${entry.what}; ${summaryOf(entry.measures)}`;
  texts.append(element("span", entry.file.name, "name"), element("br"), element("span", said, bad ? "bad" : "what"));
  row.append(box, texts, buttons);
  for (const [text, action] of bad ? [["Remove", remove]] : [["Show whole", whole], ["Remove", remove]])
    button(buttons, text, () => action(entry)).setAttribute("aria-label", `${text}: ${entry.file.name}`);
  Object.assign(entry, { box, row });
  return row;
}

const pause = () => new Promise((go) => { setTimeout(go, 0); });

// Adds files as they arrive; `progress` gets the number of files read. The page reacts every 30 ms. Rows take longer to
// lay out, and are added four times per second.
async function addFiles(files, list, callbacks) {
  let since = performance.now(), shown = 0, ticked = entries.filter((entry) => entry.ticked).length, done = 0;
  const rows = document.createDocumentFragment();
  for (const file of files) {
    for (const [index, read] of (await readFile(file)).entries()) {
      const entry = entryOf(file, index, read);
      entry.ticked = entry.message === "" && !entry.apart && ticked < TICKED_AT_FIRST;
      if (entry.ticked) ++ticked;
      rows.append(rowOf(entry, callbacks));
      entries.push(entry);
    }
    ++done;
    if (performance.now() - since < 30 && done < files.length) continue;
    if (performance.now() - shown > 250 || done === files.length) {
      list.append(rows);
      callbacks.progress(done, files.length);
      shown = performance.now();
    }
    await pause();
    since = performance.now();
  }
}
