// What the targets of an engine are, by its row (io/engine_rows.inc): for those who plan, open and lay them out.
#pragma once
#include <cstdint>
#include <string_view>

namespace fathom::io {

enum class TargetsAre : std::uint8_t {
  files,    // files and devices of the kernel's, or none (EngineTraits::needs_files)
  devices,  // the engine knows itself what its filename= names
  names,    // of files: an I/O is a call on one of them, and none is laid out or opened
  nothing   // its I/Os have neither bytes nor an end: a size means nothing
};
TargetsAre targets_are(std::string_view engine);

}  // namespace fathom::io
