// Options of ioengine=mmap.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct MmapOptions : OfEngine {
  bool thp = false;
};

inline constexpr Row kMmapRows[] = {
    flag<&MmapOptions::thp>(
        {"thp", "0", "Huge pages for the mapping (MADV_HUGEPAGE), which is then private: writes reach no file"}),
};
inline constexpr OptionTable kMmapOptions{"mmap", kMmapRows};

}  // namespace fathom::io
