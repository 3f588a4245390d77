// nowait: an I/O that would have to wait ends with EAGAIN instead (RWF_NOWAIT).
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct NowaitOptions : OfEngine {
  bool nowait = false;
};

inline constexpr Row kNowaitRows[] = {
    flag<&NowaitOptions::nowait>(
        {"nowait", "0", "An I/O that the kernel cannot start immediately ends with EAGAIN (RWF_NOWAIT)"}),
};
inline constexpr OptionTable kNowaitOptions{"nowait", kNowaitRows};

}  // namespace fathom::io
