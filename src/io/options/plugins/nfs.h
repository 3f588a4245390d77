// Options of ioengine=nfs.
#pragma once
#include "io/plugin_options.h"

namespace fathom::io {

inline Outcome settle_nfs(EngineOptions& options, const Mode&) {
  if (!options.own.get<PluginOptions>().directory.empty()) return {};
  return Problem{"nfs: nfs_url is a required parameter",
                 "nfs_url= names the server and the export, filename= a file below it",
                 "write for example `nfs_url=nfs://localhost/export`",
                 {}};
}

inline constexpr Row kNfsRows[] = {
    special<pass_directory>({"nfs_url", "", "Server and export, as libnfs reads it: nfs://HOST/PATH?version=4"},
                            Type::text),
};
inline constexpr OptionTable kNfsOptions{"nfs", kNfsRows, "Options of engines", settle_nfs};

}  // namespace fathom::io
