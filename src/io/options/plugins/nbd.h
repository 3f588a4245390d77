// Options of ioengine=nbd.
#pragma once
#include "io/plugin_options.h"

namespace fathom::io {

inline Outcome settle_nbd(EngineOptions& options, const Mode&) {
  if (!options.own.get<PluginOptions>().target.empty()) return {};
  return Problem{"nbd: uri= is missing",
                 "uri= names the server and the export",
                 "write for example `uri=nbd://localhost` or `uri=nbd+unix:///?socket=/run/nbd.sock`",
                 {}};
}

inline constexpr Row kNbdRows[] = {
    special<pass_target>({"uri", "", "Server and export: nbd://HOST:PORT/EXPORT, nbd+unix:///EXPORT?socket=PATH"},
                         Type::text),
};
inline constexpr OptionTable kNbdOptions{"nbd", kNbdRows, "Options of engines", settle_nbd};

}  // namespace fathom::io
