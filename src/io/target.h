// A file or device that a job works on, opened by run/ before the engine sees it.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::io {

// none: engines without files (null, sim). device: reached by the engine itself, by name (nvme): no descriptor.
enum class TargetKind : std::uint8_t { regular, block, character, none, device };

struct Target {
  std::string path;
  TargetKind kind = TargetKind::regular;
  int fd = -1;               // -1 for engines without files
  std::uint64_t size = 0;    // bytes that the file or device holds
  std::uint64_t start = 0;   // first byte that this job may touch
  std::uint64_t length = 0;  // bytes from start that this job may touch
};

}  // namespace fathom::io
