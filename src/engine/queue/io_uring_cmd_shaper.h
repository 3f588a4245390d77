// Options of a job for its reads and writes as NVMe commands (io/options/nvme_command.h): the command of a write, and
// the bits of dword 12. With a mixed write_mode, the command is random. Source: NVM Express NVM Command Set
// Specification 1.0.
// Thread rule: one owner.
#pragma once
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "engine/queue/nvme_passthrough.h"
#include "io/options/fua.h"
#include "io/options/nvme_command.h"

namespace fathom::engine::queue {

class NvmeCommandShaper {
 public:
  NvmeCommandShaper() = default;
  NvmeCommandShaper(const io::NvmeCommandOptions& options, const io::FuaOptions& fua);

  // True if commands of this direction differ from the engine's default ones.
  bool shapes(io::Dir dir) const { return dir == io::Dir::read ? read_bits_ != 0 : dir == io::Dir::write && shapes_; }
  // Adjusts the command of a read or write. A command that moves no data loses its buffer.
  // zone_mask: see NvmeNamespace.
  void shape(io::Dir dir, std::uint64_t zone_mask, nvme_uring_cmd& command);

 private:
  struct Share {
    std::uint64_t last_draw;
    io::WriteMode mode;
  };
  std::uint32_t read_bits_ = 0, write_bits_ = 0, zeroes_bits_ = 0;  // of dword 12
  bool shapes_ = false;
  std::vector<Share> modes_;
  base::Prng prng_{1};
};

}  // namespace fathom::engine::queue
