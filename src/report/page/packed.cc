// One pass removes spaces, one packs the lists. A list that cannot be packed is read twice.
#include "report/page/packed.h"

#include <algorithm>
#include <cstddef>

namespace fathom::report::page {
namespace {

// The position after the string that begins at `at`.
std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return at + 1;
}

// A string is copied as a whole, as is the text between two spaces.
std::string without_spaces(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  std::size_t depth = 0;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t begin = at;
    if (json[at] == '"') {
      at = std::min(string_end(json, at), json.size());
    } else {
      for (; at < json.size() && json[at] != ' ' && json[at] != '\n' && json[at] != '"'; ++at) {
        if (json[at] == '{' || json[at] == '[') ++depth;
        if ((json[at] == '}' || json[at] == ']') && depth > 0) --depth;
      }
    }
    out += json.substr(begin, at - begin);
    if (at > begin) continue;
    if (json[at] == '\n' && depth == 0) out += '\n';  // separates documents
    ++at;
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

// The position after the string, number or word at `at`; npos: an object or a list is there.
std::size_t scalar_end(std::string_view json, std::size_t at) {
  if (at >= json.size() || json[at] == '{' || json[at] == '[') return json.npos;
  if (json[at] == '"') return string_end(json, at);
  return json.find_first_of(",}]", at);
}

struct Record {
  std::string keys, values;  // separated by commas
  std::size_t end = 0;       // position after it; 0: not a record of scalars
};

Record record_at(std::string_view json, std::size_t at) {
  Record out;
  if (at >= json.size() || json[at] != '{') return {};
  while (at < json.size() && json[at] != '}') {
    if (++at >= json.size() || json[at] != '"') return {};
    const auto key_end = string_end(json, at), value = key_end + 1, end = scalar_end(json, value);
    if (end == json.npos || end > json.size()) return {};
    const char* const comma = out.keys.empty() ? "" : ",";
    (out.keys += comma) += json.substr(at, key_end - at);
    (out.values += comma) += json.substr(value, end - value);
    at = end;
  }
  out.end = at + 1;
  return out;
}

struct List {
  std::string text;
  std::size_t end = 0;  // position after it; 0: not packed
};

// The list with its first record at `at`.
List list_at(std::string_view json, std::size_t at) {
  const auto begin = at;
  std::string keys, text = "{\"fathom:rows\":[";
  for (;;) {
    const auto record = record_at(json, at);
    if (record.end == 0 || record.end >= json.size()) return {};
    if (at == begin || record.keys != keys) {
      text += (at == begin ? "{\"keys\":[" : "]},{\"keys\":[") + record.keys + "],\"rows\":[";
      keys = record.keys;
    } else {
      text += ',';
    }
    ((text += '[') += record.values) += ']';
    at = record.end + 1;
    if (json[record.end] == ']') break;
  }
  text += "]}]}";
  return text.size() < at - begin ? List{text, at} : List{};
}

}  // namespace

std::string packed(std::string_view json) {
  const auto small = without_spaces(json);
  const std::string_view text = small;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const auto end = string_end(text, at);
      out += text.substr(at, end - at);
      at = end;
    } else if (const auto list = text.substr(at, 2) == "[{" ? list_at(text, at + 1) : List{}; list.end > 0) {
      out += list.text;
      at = list.end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace fathom::report::page
