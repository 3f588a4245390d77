// The parts of a row's texts.
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

// A table was used for a command without its fields: a programming error, which tests over all tables find.
void Targets::missing() { std::abort(); }

bool has_item(std::string_view items, std::string_view word) {
  while (!items.empty()) {
    const std::size_t end = std::min(items.find(' '), items.size());
    if (items.substr(0, end) == word) return true;
    items.remove_prefix(std::min(end + 1, items.size()));
  }
  return false;
}

std::vector<std::string_view> items_in(std::string_view items) {
  std::vector<std::string_view> all;
  while (!items.empty()) {
    const std::size_t end = std::min(items.find(' '), items.size());
    if (end > 0) all.push_back(items.substr(0, end));
    items.remove_prefix(std::min(end + 1, items.size()));
  }
  return all;
}

std::vector<std::string_view> long_names(std::span<const Group> groups) {
  std::vector<std::string_view> names;
  for (const auto& group : groups)
    for (const auto& row : group.rows)
      for (const auto name : row.names())
        if (name.size() > 1 && (row.texts.status != Status::not_built || name == row.name())) names.push_back(name);
  return names;
}

std::string_view Row::name() const { return texts.names.substr(0, texts.names.find_first_of(" =")); }

std::vector<std::string_view> Row::names() const { return items_in(texts.names.substr(0, texts.names.find('='))); }

std::vector<std::string_view> Row::aliases() const {
  auto all = names();
  all.erase(all.begin());
  return all;
}

std::string_view Row::value() const {
  const auto equals = texts.names.find('=');
  return equals == std::string_view::npos ? std::string_view() : texts.names.substr(equals + 1);
}

char Row::letter() const {
  for (const auto called : names())
    if (called.size() == 1) return called[0];
  return 0;
}

bool Row::of_engine(std::string_view engine) const { return texts.engines.empty() || has_item(texts.engines, engine); }

bool Row::is_called(std::string_view name) const {
  return has_item(texts.names.substr(0, texts.names.find('=')), name);
}

}  // namespace fathom::options
