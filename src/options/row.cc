// The parts of a row's words.
#include "options/row.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace fathom::options {

std::string Value::name() const {
  switch (spelling) {
    case Spelling::key:
      return std::string(row.name());
    case Spelling::letter:
      if (row.letter() != 0) return {'-', row.letter()};
      break;
    case Spelling::dashes:
      break;
  }
  return fmt::format("{}{}", row.name().size() == 1 ? "-" : "--", row.name());
}

std::string Value::with(std::string_view other) const {
  const std::string before = name();
  return fmt::format("{}{}{}", before, before.size() == 2 && before[0] == '-' ? " " : "=", other);
}

// A table was given to a command that it is not of: a mistake of ours, which the tests over all tables meet.
void Targets::missing() { std::abort(); }

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::vector<std::string_view> words_in(std::string_view words) {
  std::vector<std::string_view> all;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) all.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return all;
}

std::vector<std::string_view> long_names(std::span<const Group> groups) {
  std::vector<std::string_view> names;
  for (const auto& group : groups)
    for (const auto& row : group.rows)
      for (const auto name : row.names())
        if (name.size() > 1 && (row.words.status != Status::not_built || name == row.name())) names.push_back(name);
  return names;
}

std::string_view Row::name() const { return words.names.substr(0, words.names.find_first_of(" =")); }

std::vector<std::string_view> Row::names() const { return words_in(words.names.substr(0, words.names.find('='))); }

std::vector<std::string_view> Row::aliases() const {
  auto all = names();
  all.erase(all.begin());
  return all;
}

std::string_view Row::value() const {
  const auto equals = words.names.find('=');
  return equals == std::string_view::npos ? std::string_view() : words.names.substr(equals + 1);
}

char Row::letter() const {
  for (const auto called : names())
    if (called.size() == 1) return called[0];
  return 0;
}

bool Row::of_engine(std::string_view engine) const { return words.engines.empty() || has_word(words.engines, engine); }

bool Row::is_called(std::string_view name) const {
  return has_word(words.names.substr(0, words.names.find('=')), name);
}

}  // namespace fathom::options
