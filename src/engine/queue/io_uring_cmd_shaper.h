// What a job asks of its reads and writes as NVMe commands (io/options/nvme_command.h): which command a write is, and the
// bits of dword 12. Draws the command of a mixed write_mode. Source: NVM Express NVM Command Set Specification 1.0.
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

  // Commands of this direction are not as the engine makes them by itself.
  bool shapes(io::Dir dir) const { return dir == io::Dir::read ? read_bits_ != 0 : dir == io::Dir::write && shapes_; }
  // Of a read or a write. Those that move no data lose their buffer: what is left has none.
  void shape(io::Dir dir, nvme_uring_cmd& command);

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
