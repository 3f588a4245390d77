// Options of an engine in a shared object. The engine reads them as texts, so a file of src/io/options/plugins/ has rows
// and no struct.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/option_table.h"

namespace fathom::io {

struct PluginOptions : OfEngine {
  std::string path;       // of ioengine=external:PATH
  std::string target;     // of an engine with an option for it; empty: filename= names the targets
  std::string directory;  // of an engine with files: the URL below which filename= names them
  std::vector<std::pair<std::string, std::string>> passed;  // name and value
};

// The URL of a file: its name behind the path of `directory`, before the arguments that follow a `?`.
inline std::string url_below(std::string_view directory, std::string_view name) {
  const auto arguments = directory.substr(std::min(directory.find('?'), directory.size()));
  directory.remove_suffix(arguments.size());
  while (directory.ends_with('/')) directory.remove_suffix(1);
  while (name.starts_with('/')) name.remove_prefix(1);
  return std::string(directory) + '/' + std::string(name) + std::string(arguments);
}

inline void pass(PluginOptions& options, std::string_view name, std::string_view text) {
  auto& all = options.passed;
  const auto same = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == name; });
  if (same != all.end())
    same->second = text;
  else
    all.emplace_back(name, text);
}

// Readers of rows: an option that the engine reads; the option that names the target, or the directory of the targets; a
// list NAME=VALUE,NAME=VALUE.
inline Outcome pass_option(PluginOptions& options, const Value& value) {
  pass(options, value.row.name(), value.text);
  return {};
}
inline Outcome pass_target(PluginOptions& options, const Value& value) {
  options.target = value.text;
  return {};
}
inline Outcome pass_directory(PluginOptions& options, const Value& value) {
  options.directory = value.text;
  return pass_option(options, value);
}
inline Outcome pass_list(PluginOptions& options, const Value& value) {
  for (auto rest = value.text; !rest.empty();) {
    const auto item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const auto equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return wrong("not NAME=VALUE", "the engine reads names and values", "write for example `size=64m,mode=fast`",
                   item);
    pass(options, item.substr(0, equals), item.substr(equals + 1));
  }
  return {};
}

inline Outcome pass_choice(PluginOptions& options, const Value& value) {
  int checked = 0;
  if (auto problem = read_choice(value, checked)) return problem;
  return pass_option(options, value);
}
inline Outcome pass_number(PluginOptions& options, const Value& value) {
  std::uint64_t number = 0;
  if (auto problem = read_number(value, number)) return problem;
  pass(options, value.row.name(), std::to_string(number));
  return {};
}

constexpr Row passed(Texts texts) { return special<pass_option>(texts, Type::text); }
constexpr Row passed_secret(Texts texts) {
  Row row = passed(texts);
  row.secret = true;
  return row;
}
constexpr Row passed_choice(Texts texts, std::span<const Choice> choices) {
  return special<pass_choice>(texts, Type::choice, 0, 0, 0, false, choices);
}
constexpr Row passed_number(Texts texts, std::uint64_t min, std::uint64_t max) {
  return special<pass_number>(texts, Type::count, min, max);
}

// The value of an option as written; nullptr: not written.
inline const std::string* value_of(const PluginOptions& options, std::string_view name) {
  for (const auto& [key, value] : options.passed)
    if (key == name) return &value;
  return nullptr;
}

inline std::string_view text_of(const PluginOptions& options, std::string_view name, std::string_view fallback = {}) {
  const auto* written = value_of(options, name);
  return written != nullptr ? std::string_view(*written) : fallback;
}

// A settle function's answer where an option is missing. names: what it names. example: how it may be written.
inline Outcome missing_option(std::string_view option, std::string_view names, std::string_view example) {
  return Problem{
      std::string(option) + "= is missing", std::string(names), "write for example `" + std::string(example) + "`", {}};
}

}  // namespace fathom::io
