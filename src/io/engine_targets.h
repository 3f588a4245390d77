// The kind of an engine's targets, from its row (io/engine_rows.inc): for the code that plans, opens and lays them out.
#pragma once
#include <cstdint>
#include <string_view>

namespace fathom::io {

enum class TargetsAre : std::uint8_t {
  files,    // files and devices of the kernel, or none (EngineTraits::needs_files)
  devices,  // only the engine can resolve its filename=
  names,    // names of files: an I/O is a call on one of them, and none is laid out or opened
  nothing   // its I/Os have neither bytes nor an end: a size is meaningless
};
TargetsAre targets_are(std::string_view engine);

}  // namespace fathom::io
