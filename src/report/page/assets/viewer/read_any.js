// Reads one file of any kind: { what, result } for each result in it, or a message with the reason for its lack. Other
// pages of fathom contain their results as JSON without any "<". These are extracted from the text, and the rest of the
// page is ignored. The size of a file is checked before it is read, because it needs ten times its size in memory. The
// limit is that of `fathom report`.
const MOST_FILE_BYTES = 256 * 2 ** 20;

function resultsOfPage(text) {
  const scripts = [...text.matchAll(/<script\b[^>]{0,200}\bclass="result"[^>]{0,200}>([\s\S]*?)<\/script>/g)];
  if (scripts.length === 0) throw new NotRead("HTML, but no report page of fathom with results");
  return scripts.map(([, json], i) => {
    const which = scripts.length > 1 ? `report page, result ${i + 1}: ` : "report page: ";
    try {
      const read = readOurs(resultIn(json, parsedJson));
      return { ...read, what: which + read.what };
    } catch (error) {
      return { what: which, message: messageOf(error) };
    }
  });
}

function readJsonText(text) {
  if (isFioJson(text)) return readFioJson(text);
  return readOurs(resultIn(text, parsedJson));
}

const messageOf = (error) => (error instanceof NotRead ? error.message : `damaged: ${error.message}`);

function readResults(name, text) {
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  const head = text.slice(0, 2000).trimStart();
  if (/\.fz$/.test(name)) throw new NotRead("a log that was stored compressed (log_store_compressed): `fathom run --inflate-log=FILE` prints it as text");
  if (head === "") throw new NotRead("an empty file: no samples");
  if (/^<!doctype html|^<html/i.test(head)) return resultsOfPage(text);
  if (head[0] === "<") return [readPmbench(text)];
  return [isFioLog(name, text) ? readFioLog(text, name) : readJsonText(text)];
}

// Never throws: a bad file is a row with a message.
function readText(name, text) {
  try {
    return readResults(name, text);
  } catch (error) {
    return [{ what: "", message: messageOf(error) }];
  }
}

async function readFile(file) {
  if (file.size > MOST_FILE_BYTES) return [{ what: "", message: `${Math.ceil(file.size / 2 ** 20)} MiB: no file above ${MOST_FILE_BYTES / 2 ** 20} MiB is read` }];
  try {
    return readText(file.name, await file.text());
  } catch (error) {
    return [{ what: "", message: `cannot be read: ${error.message}` }];
  }
}
