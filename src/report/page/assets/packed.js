// Restores a result from the form in which a list of records has its keys once (src/report/page/packed.h).
const isPacked = (value) => Array.isArray(value["fathom:rows"]) && value["fathom:rows"].every((part) => part && Array.isArray(part.keys) && Array.isArray(part.rows));

function unpacked(value) {
  if (value === null || typeof value !== "object") return value;
  if (isPacked(value)) return value["fathom:rows"].flatMap(({ keys, rows }) => rows.map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i]]))));
  for (const key of Object.keys(value)) if (key !== "histogram_ns") value[key] = unpacked(value[key]);
  return value;
}

// The documents of a result: one, or one per interval on a line each and the complete one last (`fathom pmu stat -I`).
// Lists of records are still packed: to restore them takes longer than to parse the text.
function packedDocumentsIn(text, parse = JSON.parse) {
  const all = text.trim(), end = all.indexOf("\n"), several = end > 0 && all[end - 1] === "}";
  return (several ? all.split("\n").filter((line) => line.trim()) : [all]).map((one) => parse(one));
}
const documentsIn = (text, parse) => packedDocumentsIn(text, parse).map(unpacked);

// The documents as one.
function joinedDocuments(documents) {
  const all = [...documents], last = all.pop();
  return all.length ? { ...last, intervals: all } : last;
}
const resultIn = (text, parse) => joinedDocuments(documentsIn(text, parse));
