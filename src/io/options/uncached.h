// uncached: buffered I/O that leaves nothing in the page cache (RWF_DONTCACHE).
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct UncachedOptions : OfEngine {
  // Linux 6.14; older headers lack it.
  static constexpr unsigned kFlag = 0x80;
  bool uncached = false;
};

inline constexpr Row kUncachedRows[] = {
    flag<&UncachedOptions::uncached>(
        {"uncached", "0", "Drop the pages of buffered I/O after the I/O (RWF_DONTCACHE, Linux 6.14)"}),
};
inline constexpr OptionTable kUncachedOptions{"uncached", kUncachedRows};

}  // namespace fathom::io
