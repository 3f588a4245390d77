// The JSON documents in what fio printed: notes stand before, between and behind them, --status-interval prints one after
// another, and a mean of nothing is nan, which JSON has not. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::import::fio {

// Each begins with a brace at the begin of a line and ends with the brace that closes it; one that is cut short ends with
// the text. A brace at the begin of a line of a note is none where a "fio version" stands in another.
std::vector<std::string_view> documents_in(std::string_view text);

struct Repaired {
  std::string text;
  std::size_t not_numbers = 0;
};
// With null in the places of nan and inf; nullopt: none is there.
std::optional<Repaired> without_nan(std::string_view text);

}  // namespace fathom::import::fio
