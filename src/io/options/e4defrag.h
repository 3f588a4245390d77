// Options of ioengine=e4defrag.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct E4defragOptions : OfEngine {
  std::string donor;
  bool inplace = false;
};

inline Outcome settle_e4defrag(EngineOptions& options, const Mode& mode) {
  if (options.own.get<E4defragOptions>().donor.empty())
    return Problem{"ioengine=e4defrag needs a donor",
                   "the engine exchanges extents with another file",
                   "write `donorname=FILE`, a file on the same file system",
                   {}};
  if (mode.reads || mode.trims)
    return Problem{"ioengine=e4defrag only writes",
                   "a request exchanges the extents of its block",
                   "write `rw=write` or `rw=randwrite`",
                   {}};
  return {};
}

inline constexpr Row kE4defragRows[] = {
    text<&E4defragOptions::donor>({"donorname", "", "Donor file of the extents"}),
    boolean<&E4defragOptions::inplace>(
        {"inplace", "0", "0: reserve the donor's space once; 1: for each request, and release it afterwards"}),
};
inline constexpr OptionTable kE4defragOptions{"e4defrag", kE4defragRows, "Options of engines", settle_e4defrag};

}  // namespace fathom::io
