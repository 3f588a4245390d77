// A small XML reader for reports of pmbench: elements, attributes, texts, the five named entities and character
// references. For malformed text, the browser's parser inserts an element with a style attribute. The page's policy
// reports that as a violation. This reader also runs wherever the other readers run. It does not support DOCTYPE, so
// nothing is expanded.
const XML_TOKEN = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const XML_ENTITIES = { lt: "<", gt: ">", amp: "&", quot: "\"", apos: "'" };

function xmlText(text) {
  return text.replace(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (whole, hex, decimal, name) => {
    if (name) return XML_ENTITIES[name] ?? whole;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function xmlAttributes(text) {
  return new Map([...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name, a, b]) => [name, xmlText(a ?? b)]));
}

class XmlPart {
  constructor(name, attributes) { Object.assign(this, { name, attributes, parts: [], content: "" }); }
  child(name) { return this.parts.find((part) => part.name === name) ?? null; }
  children(name) { return this.parts.filter((part) => part.name === name); }
  need(name) {
    const found = this.child(name);
    if (!found) throw new NotRead(`damaged: no <${name}> in <${this.name}>`);
    return found;
  }
  attribute(name) { return this.attributes.get(name) ?? ""; }
  text(name) { return this.child(name)?.content ?? ""; }
  number(name) {
    const text = this.need(name).content.trim(), value = Number(text);
    if (text === "" || !Number.isFinite(value)) throw new NotRead(`damaged: <${name}> holds "${text.slice(0, 40)}", which is no number`);
    return value;
  }
  count(name) {
    const value = this.number(name);
    if (!Number.isInteger(value) || value < 0) throw new NotRead(`damaged: <${name}> holds ${value}, which is no count`);
    return value;
  }
}

// Returns the root element.
function parsedXml(text) {
  const document = new XmlPart("", new Map()), open = [document];
  for (XML_TOKEN.lastIndex = 0; XML_TOKEN.lastIndex < text.length;) {
    const at = XML_TOKEN.lastIndex, token = XML_TOKEN.exec(text), inner = open[open.length - 1];
    if (!token && text.indexOf(">", at) < 0) break;
    if (!token) throw new NotRead(`no XML document: line ${text.slice(0, at).split("\n").length} is not well-formed`);
    const [, raw, closed, opened, attributes, empty, characters] = token;
    if (raw !== undefined || characters !== undefined) inner.content += raw ?? xmlText(characters);
    if (closed && (open.length === 1 || open.pop().name !== closed)) throw new NotRead(`no XML document: </${closed.slice(0, 40)}> closes what is not open`);
    if (!opened) continue;
    const part = new XmlPart(opened, xmlAttributes(attributes));
    inner.parts.push(part);
    if (!empty) open.push(part);
  }
  if (open.length > 1) throw new NotRead("cut off: its XML document does not end");
  if (document.parts.length !== 1) throw new NotRead("no XML document: it has no root, or several");
  return document.parts[0];
}
