// What is varied: `--over NAME=VALUES`. Values are words with commas between, and ranges of whole numbers among them:
//   1..256         1, 2, 4 ... 256: doubled, and the end
//   1..256*4       times 4
//   1000..5000+500 a step
//   4k..64k        the suffix of both ends is each value's
//   10%..100%+10%  of a rate: a share of what the job does without one, which is measured first
// A name alone is a rate's 10%..100%+10%, or iodepth's and numjobs' 1..256 and 1..16. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::sweep {

inline constexpr std::size_t kMostValues = 1000;

enum class LoadKind { none, depth, rate };  // of an option, whether more of it is more load

struct Axis {
  std::string written, option;
  std::vector<std::string> values;
  std::vector<double> numbers;  // the same; empty: not all are whole numbers
  bool shares = false;          // values are percentages
  LoadKind kind = LoadKind::none;
};

// Errors: usage.
base::Expected<Axis> axis_of(std::string_view text);
// Which of them is the load: a rate before a depth; none: more of none of them is more load.
std::optional<std::size_t> load_axis(const std::vector<Axis>& axes);

}  // namespace fathom::sweep
