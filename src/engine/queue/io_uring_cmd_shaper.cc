// Sets the bits of write commands.
#include "engine/queue/io_uring_cmd_shaper.h"

namespace fathom::engine::queue {
namespace {

constexpr std::uint32_t kDeallocate = 1u << 25;

struct ModeRow {
  io::WriteMode mode;
  std::uint8_t opcode;
  bool moves_data, at_zone_start;
};
constexpr ModeRow kModes[] = {
    {io::WriteMode::write, 0x01, true, false},      {io::WriteMode::uncor, 0x04, false, false},
    {io::WriteMode::zeroes, 0x08, false, false},    {io::WriteMode::verify, 0x0c, false, false},
    {io::WriteMode::zone_append, 0x7d, true, true},
};

}  // namespace

NvmeCommandShaper::NvmeCommandShaper(const io::NvmeCommandOptions& options, const io::FuaOptions& fua)
    : read_bits_(fua.reads ? nvme::kForceUnitAccess : 0),
      write_bits_(fua.writes ? nvme::kForceUnitAccess : 0),
      zeroes_bits_(options.deac ? kDeallocate : 0) {
  double sum = 0;
  for (const auto& share : options.write_modes) {
    sum += share.percent;
    modes_.push_back({sum >= 100 ? ~0ull : static_cast<std::uint64_t>(sum / 100 * 0x1p64), share.mode});
  }
  shapes_ = write_bits_ != 0 || modes_.size() > 1 || modes_.front().mode != io::WriteMode::write;
}

void NvmeCommandShaper::shape(io::Dir dir, std::uint64_t zone_mask, nvme_uring_cmd& command) {
  if (dir == io::Dir::read) {
    command.cdw12 |= read_bits_;
    return;
  }
  const std::uint64_t draw = modes_.size() > 1 ? prng_.next() : 0;
  const Share* share = modes_.data();
  while (draw > share->last_draw) ++share;
  const ModeRow& row = kModes[static_cast<int>(share->mode)];
  command.opcode = row.opcode;
  // A device that appends chooses the block itself; the command names the zone.
  if (row.at_zone_start) {
    command.cdw10 &= static_cast<std::uint32_t>(zone_mask);
    command.cdw11 &= static_cast<std::uint32_t>(zone_mask >> 32);
  }
  // Write Uncorrectable has no FUA bit. Its dword 12 contains only the count.
  if (share->mode == io::WriteMode::uncor)
    command.cdw12 &= 0xffff;
  else
    command.cdw12 |= write_bits_ | (share->mode == io::WriteMode::zeroes ? zeroes_bits_ : 0);
  if (row.moves_data) return;
  command.addr = command.metadata = 0;
  command.data_len = command.metadata_len = 0;
}

}  // namespace fathom::engine::queue
