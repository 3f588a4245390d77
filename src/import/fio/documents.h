// Finds the JSON documents in fio's output. Notes can be before, between and after them, --status-interval prints one
// after another, and a mean without samples is nan, which JSON lacks. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::import::fio {

// Each begins with a brace at the start of a line and ends with the matching brace, or with the text. If some have a
// "fio version", only these are returned, since a note may begin a line with a brace too.
std::vector<std::string_view> documents_in(std::string_view text);

struct Repaired {
  std::string text;
  std::size_t not_numbers = 0;
};
// Replaces nan and inf with null. nullopt: the text has neither.
std::optional<Repaired> without_nan(std::string_view text);

}  // namespace fathom::import::fio
