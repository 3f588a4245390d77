// Options of a [global] before the first job need no name; a later one is written as --name=global.
#include "job/show_command.h"

#include <algorithm>

namespace fathom::job {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(" \t'\"$\\;&|<>*?()[]{}`!#~") == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string show_command(const std::vector<Section>& sections, const std::vector<std::string>& wanted) {
  std::string out = "fio";
  bool first = true;
  for (const auto& section : sections) {
    if (!section.global && !wanted.empty() && std::find(wanted.begin(), wanted.end(), section.name) == wanted.end())
      continue;
    if (!section.global || !first) out += " --name=" + quoted(section.name);
    for (const auto& a : section.options) out += " --" + a.key + (a.value ? "=" + quoted(*a.value) : "");
    first = false;
  }
  return out;
}

}  // namespace fathom::job
