// The JSON documents in what fio printed: notes stand before, between and behind them, --status-interval prints one after
// another, and a mean of nothing is nan, which JSON has not. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::import::fio {

// Each begins with a brace at the start of a line and ends with the matching brace, or with the text. Where some have a
// "fio version", only these are returned: a note may begin a line with a brace too.
std::vector<std::string_view> documents_in(std::string_view text);

struct Repaired {
  std::string text;
  std::size_t not_numbers = 0;
};
// With null in the places of nan and inf; nullopt: none is there.
std::optional<Repaired> without_nan(std::string_view text);

}  // namespace fathom::import::fio
