// readfua, writefua: force unit access.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct FuaOptions : OfEngine {
  bool reads = false, writes = false;
};

inline constexpr Row kFuaRows[] = {
    boolean<&FuaOptions::reads>({"readfua", "0", "Reads bypass the device's cache (force unit access)"}),
    boolean<&FuaOptions::writes>({"writefua", "0", "Writes are on the medium when they complete (force unit access)"}),
};
inline constexpr OptionTable kFuaOptions{"fua", kFuaRows};

}  // namespace fathom::io
