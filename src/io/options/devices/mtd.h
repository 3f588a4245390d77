// Options of ioengine=mtd.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct MtdOptions : OfEngine {
  bool skip_bad = false;
};

inline constexpr Row kMtdRows[] = {
    boolean<&MtdOptions::skip_bad>(
        {"skip_bad", "0", "I/Os on erase blocks that are marked as bad fail without an access"}),
};
inline constexpr OptionTable kMtdOptions{"mtd", kMtdRows};

}  // namespace fathom::io
