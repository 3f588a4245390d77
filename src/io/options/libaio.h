// Options of ioengine=libaio.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct LibaioOptions : OfEngine {
  bool userspace_reap = false;
  bool vectored = false;
};

inline constexpr Row kLibaioRows[] = {
    flag<&LibaioOptions::userspace_reap>(
        {"userspace_reap", "", "Read completions from the ring without a system call"}),
    boolean<&LibaioOptions::vectored>({"libaio_vectored", "0", "Each I/O is a list of one buffer (preadv, pwritev)"}),
};
inline constexpr OptionTable kLibaioOptions{"libaio", kLibaioRows};

}  // namespace fathom::io
