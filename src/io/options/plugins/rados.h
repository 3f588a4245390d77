// Options of ioengine=rados.
#pragma once
#include "io/plugin_options.h"

namespace fathom::io {

inline Outcome settle_rados(EngineOptions& options, const Mode&) {
  auto& own = options.own.get<PluginOptions>();
  own.directory = text_of(own, "pool");
  if (!own.directory.empty()) return {};
  return missing_option("rados: pool", "pool= contains the objects, which filename= names", "pool=test");
}

inline constexpr Row kRadosRows[] = {
    passed_number({"touch_objects", "1", "Create the objects before the job writes them"}, 0, 1),
};
inline constexpr OptionTable kRadosOptions{"rados", kRadosRows, "Options of engines", settle_rados};

}  // namespace fathom::io
