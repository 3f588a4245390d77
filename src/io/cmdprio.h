// cmdprio_*: I/O priorities for some of a job's I/Os, selected by chance or by size. The code that makes a request
// selects its priority. The request carries a number, an index into `values`. Not only engines use these options, but
// their table is that of an engine (io/options/cmdprio.h).
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
    // Encoding of ioprio_set(2) and the kernel's request structures.
    std::uint16_t value() const { return static_cast<std::uint16_t>(io_class << 13 | hint << 3 | level); }
  };
  struct Split {
    std::uint64_t bytes = 0;
    unsigned percent = 0;
    bool own = false;  // `of` was written; false: cmdprio_class, cmdprio and cmdprio_hint apply
    Of of;
  };
  // Reads and writes; the third entry is unused.
  PerDir<unsigned> percentage{}, io_class{1, 1, 1}, level{}, hint{};
  PerDir<std::vector<Split>> split;
  std::vector<Of> values;  // resolved (job/resolve.cc): a request's number n is values[n - 1]; 0: the job's own

  Of common(std::size_t dir) const { return {io_class[dir], level[dir], hint[dir]}; }
  bool used() const { return !values.empty(); }
};

// Position of the number in a request's flags: the upper half.
inline constexpr unsigned kPriorityShift = 4;
inline constexpr std::size_t kMostPriorities = 15;

}  // namespace fathom::io
