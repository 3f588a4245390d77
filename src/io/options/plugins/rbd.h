// Options of ioengine=rbd.
#pragma once
#include "io/plugin_options.h"

namespace fathom::io {

inline Outcome settle_rbd(EngineOptions& options, const Mode&) {
  auto& own = options.own.get<PluginOptions>();
  const auto pool = text_of(own, "pool"), image = text_of(own, "rbdname");
  if (pool.empty()) return missing_option("rbd: pool", "pool= contains the image", "pool=rbd");
  if (image.empty()) return missing_option("rbd: rbdname", "rbdname= names the image", "rbdname=disk1");
  own.target = std::string(pool) + '/' + std::string(image);
  return {};
}

inline constexpr Row kRbdRows[] = {
    passed({"rbdname", "", "Name of the image"}),
};
inline constexpr OptionTable kRbdOptions{"rbd", kRbdRows, "Options of engines", settle_rbd};

}  // namespace fathom::io
