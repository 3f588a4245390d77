// Options of ioengine=libaio.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct LibaioOptions : OfEngine {
  bool userspace_reap = false;
};

inline constexpr Row kLibaioRows[] = {
    flag<&LibaioOptions::userspace_reap>(
        {"userspace_reap", "", "Read completions from the ring without a system call"}),
};
inline constexpr OptionTable kLibaioOptions{"libaio", kLibaioRows};

}  // namespace fathom::io
