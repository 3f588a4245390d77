// An option to vary and its values: `--over NAME=VALUES`.
// Values are words separated by commas. A word may be a range of whole numbers:
//   1..256         1, 2, 4 ... 256: each is twice the one before; includes the end
//   1..256*4       each is four times the one before
//   1000..5000+500 in steps of 500
//   4k..64k        the suffix of both ends applies to each value
//   10%..100%+10%  for a rate: shares of the rate without a limit, which the sweep measures first
// Without values, a rate gets 10%..100%+10%, iodepth 1..256 and numjobs 1..16. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::sweep {

inline constexpr std::size_t kMostValues = 1000;

enum class LoadKind { none, depth, rate };  // what more of an option means: more load of this kind, or none

struct Axis {
  std::string written, option;
  std::vector<std::string> values;
  std::vector<double> numbers;  // the values as numbers; empty: not all are whole numbers
  bool shares = false;          // values are percentages
  LoadKind kind = LoadKind::none;
};

// Errors: usage.
base::Expected<Axis> axis_of(std::string_view text);
// The axis that is the load: a rate before a depth. nullopt: no axis changes the load.
std::optional<std::size_t> load_axis(const std::vector<Axis>& axes);

}  // namespace fathom::sweep
