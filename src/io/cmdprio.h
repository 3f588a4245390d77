// cmdprio_*: an I/O priority of some of a job's I/Os, chosen by chance or by size. Which I/O has which is decided where
// its request is made; the request carries a number, `values` says what it stands for. More than engines know of it:
// the options are a table of theirs (io/options/cmdprio.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/option_table.h"
#include "io/request.h"

namespace fathom::io {

struct CmdprioOptions : OfEngine {
  struct Of {
    unsigned io_class = 1, level = 0, hint = 0;
    friend bool operator==(const Of&, const Of&) = default;
    // As ioprio_set(2) and the kernel's request structures have it.
    std::uint16_t value() const { return static_cast<std::uint16_t>(io_class << 13 | hint << 3 | level); }
  };
  struct Split {
    std::uint64_t bytes = 0;
    unsigned percent = 0;
    bool own = false;  // `of` was written, else cmdprio_class, cmdprio and cmdprio_hint hold
    Of of;
  };
  // Reads and writes; the third is nobody's.
  PerDir<unsigned> percentage{}, io_class{1, 1, 1}, level{}, hint{};
  PerDir<std::vector<Split>> split;
  std::vector<Of> values;  // resolved (job/resolve.cc): number n of a request is values[n - 1]; 0: the job's own

  Of common(std::size_t dir) const { return {io_class[dir], level[dir], hint[dir]}; }
  bool used() const { return !values.empty(); }
};

// Where in a request's flags its number lies: the upper half.
inline constexpr unsigned kPriorityShift = 4;
inline constexpr std::size_t kMostPriorities = 15;

}  // namespace fathom::io
