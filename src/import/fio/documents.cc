// One pass that distinguishes quoted text from other text.
#include "import/fio/documents.h"

#include <algorithm>

namespace fathom::import::fio {
namespace {

// The position after the closing quote; npos: the string does not end.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    at += text[at] == '\\';
  }
  return text.npos;
}

std::size_t end_of_document(std::string_view text, std::size_t at) {
  for (std::size_t depth = 0; at < text.size();) {
    if (text[at] == '"') {
      at = behind_string(text, at);
      continue;
    }
    depth += text[at] == '{';
    if (text[at++] == '}' && --depth == 0) return at;
  }
  return text.size();
}

// The length of "nan", "-nan", "inf" or "-inf" in the place of a value.
std::size_t length_of_no_number(std::string_view text) {
  const std::size_t sign = text.starts_with('-');
  const auto word = text.substr(sign, 3);
  return word == "nan" || word == "inf" ? sign + 3 : 0;
}

}  // namespace

std::vector<std::string_view> documents_in(std::string_view text) {
  std::vector<std::string_view> all, of_fio;
  for (std::size_t at = 0; (at = text.find('{', at)) != text.npos;) {
    if (at > 0 && text[at - 1] != '\n') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const std::size_t end = end_of_document(text, at);
    all.push_back(text.substr(at, end - at));
    if (all.back().find("\"fio version\"") != text.npos) of_fio.push_back(all.back());
    at = end;
  }
  return of_fio.empty() ? all : of_fio;
}

std::optional<Repaired> without_nan(std::string_view text) {
  Repaired out;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = std::min(behind_string(text, at), text.size());
      continue;
    }
    const bool is_value = text[at] == ':' || text[at] == ',' || text[at] == '[';
    ++at;
    if (!is_value) continue;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) ++at;
    const std::size_t length = length_of_no_number(text.substr(at));
    if (length == 0) continue;
    out.text.append(text.substr(kept, at - kept)).append("null");
    kept = at += length;
    ++out.not_numbers;
  }
  if (out.not_numbers == 0) return std::nullopt;
  out.text += text.substr(kept);
  return out;
}

}  // namespace fathom::import::fio
