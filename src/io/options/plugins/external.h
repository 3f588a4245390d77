// Options of ioengine=external:PATH.
#pragma once
#include "io/plugin_options.h"

namespace fathom::io {

inline constexpr Row kExternalRows[] = {
    special<pass_list>(
        {"plugin_options", "", "Options that the engine in the file reads: NAME=VALUE,NAME=VALUE", "", kOwn},
        Type::text),
};
inline constexpr OptionTable kExternalOptions{"external", kExternalRows};

}  // namespace fathom::io
