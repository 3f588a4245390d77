// A file or device of a job. run/ opens it before the engine uses it.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::io {

// none: engines without files (null, sim). device: opened by the engine itself, by name (nvme); no descriptor.
enum class TargetKind : std::uint8_t { regular, block, character, none, device };

struct Target {
  std::string path;
  TargetKind kind = TargetKind::regular;
  int fd = -1;               // -1 for engines without files
  std::uint64_t size = 0;    // size of the file or device in bytes
  std::uint64_t start = 0;   // first byte that this job may access
  std::uint64_t length = 0;  // bytes from start that this job may access
};

}  // namespace fathom::io
