// Eight bytes per block, big-endian: guard, application tag, reference tag.
#include "engine/queue/protection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace fathom::engine::queue {
namespace {

constexpr std::size_t kInfoBytes = 8;
constexpr std::uint16_t kNeverWritten = 0xffff;  // application tag of a block that is not checked

constexpr std::array<std::uint16_t, 256> make_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned crc = i << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x8bb7 : crc << 1;
    table[i] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
constexpr auto kTable = make_table();

std::uint16_t crc_of(std::uint16_t crc, std::span<const std::byte> data) {
  for (const std::byte byte : data)
    crc = static_cast<std::uint16_t>(crc << 8 ^ kTable[(crc >> 8 ^ static_cast<unsigned>(byte)) & 0xff]);
  return crc;
}

struct Info {
  std::uint16_t guard, apptag;
  std::uint32_t reftag;
};
void put(std::byte* at, const Info& info) {
  const std::uint64_t whole = std::uint64_t{info.guard} << 48 | std::uint64_t{info.apptag} << 32 | info.reftag;
  const std::uint64_t wire = __builtin_bswap64(whole);
  std::memcpy(at, &wire, sizeof wire);
}
Info get(const std::byte* at) {
  std::uint64_t wire = 0;
  std::memcpy(&wire, at, sizeof wire);
  const std::uint64_t whole = __builtin_bswap64(wire);
  return {static_cast<std::uint16_t>(whole >> 48), static_cast<std::uint16_t>(whole >> 32),
          static_cast<std::uint32_t>(whole)};
}

// The position of the protection information in a block's metadata. The guard also covers the metadata before it.
std::size_t place_of(const NvmeNamespace& ns) { return ns.protection_first ? 0 : ns.metadata_bytes - kInfoBytes; }

std::uint16_t guard_of(const NvmeNamespace& ns, const std::byte* block, const std::byte* metadata) {
  return crc_of(crc_of(0, {block, ns.block_bytes()}), {metadata, place_of(ns)});
}

// The device inserts and strips the protection information, and there is no other metadata.
bool stripped(const NvmeNamespace& ns, const io::ProtectionOptions& options) {
  return ns.protection_type != 0 && options.pi_act && ns.metadata_bytes == kInfoBytes;
}

base::Error too_small(const io::Target& target, const NvmeNamespace& ns, std::uint64_t needed_bytes, unsigned given) {
  base::Error e;
  e.what = fmt::format(
      "io_uring_cmd: `{}` has {} bytes of metadata per block: md_per_io_size={} is less than the {} of an I/O",
      target.path, ns.metadata_bytes, given, needed_bytes);
  e.help = fmt::format("write `md_per_io_size={}`, or use its block device", needed_bytes);
  e.sys_errno = EINVAL;
  return e;
}

}  // namespace

std::uint16_t t10_crc(std::span<const std::byte> data) { return crc_of(0, data); }

base::Expected<Protection> Protection::make(const io::ProtectionOptions& options,
                                            std::span<const NvmeNamespace> namespaces,
                                            std::span<const io::Target> targets, std::uint32_t depth,
                                            std::size_t largest_bytes) {
  Protection made;
  made.options_ = options;
  bool moves = false;
  for (std::size_t i = 0; i < namespaces.size(); ++i) {
    const auto& ns = namespaces[i];
    if (ns.metadata_bytes == 0) continue;
    made.used_ = true;
    if (stripped(ns, options)) continue;
    const std::uint64_t needed = (std::uint64_t{largest_bytes} >> ns.block_shift) * ns.metadata_bytes;
    if (options.md_per_io_bytes < needed) return too_small(targets[i], ns, needed, options.md_per_io_bytes);
    moves = true;
    made.checks_ |= ns.protection_type != 0 && !options.pi_act && options.checks != 0;
  }
  if (moves) {
    made.stride_ = (options.md_per_io_bytes + 63u) / 64 * std::size_t{64};
    made.metadata_.resize(depth * made.stride_);
  }
  if (made.checks_) made.in_flight_.resize(depth);
  return made;
}

void Protection::protect(const NvmeNamespace& ns, std::uint32_t slot, const io::Request& request, const std::byte* data,
                         nvme_uring_cmd& command) {
  if (checks_) in_flight_[slot] = {};
  if (ns.metadata_bytes == 0) return;
  const std::uint64_t lba = request.offset >> ns.block_shift;
  const std::uint32_t blocks = request.length >> ns.block_shift;
  const bool protects = ns.protection_type != 0;
  if (protects) {
    command.cdw12 |= (options_.pi_act ? io::kDeviceProtects : 0) | options_.checks;
    command.cdw14 = ns.protection_type == 3 ? 0 : static_cast<std::uint32_t>(lba);
    command.cdw15 = options_.apptag_mask << 16 | options_.apptag;
  }
  if (stripped(ns, options_)) return;
  command.metadata = reinterpret_cast<std::uint64_t>(metadata(slot));
  command.metadata_len = blocks * ns.metadata_bytes;
  if (!protects || options_.pi_act) return;
  if (request.dir == io::Dir::read) {
    if (checks_) in_flight_[slot] = {&ns, data, lba, blocks};
    return;
  }
  for (std::uint32_t i = 0; i < blocks; ++i) {
    std::byte* const own = metadata(slot) + std::size_t{i} * ns.metadata_bytes;
    const std::uint32_t reftag = ns.protection_type == 3 ? 0 : static_cast<std::uint32_t>(lba + i);
    put(own + place_of(ns), {guard_of(ns, data + (std::size_t{i} << ns.block_shift), own),
                             static_cast<std::uint16_t>(options_.apptag), reftag});
  }
}

bool Protection::is_wrong(std::uint32_t slot) const {
  const auto& io = in_flight_[slot];
  if (io.ns == nullptr) return false;
  const auto& ns = *io.ns;
  for (std::uint32_t i = 0; i < io.blocks; ++i) {
    const std::byte* const own = metadata(slot) + std::size_t{i} * ns.metadata_bytes;
    const Info info = get(own + place_of(ns));
    if (info.apptag == kNeverWritten) continue;
    const bool guard = (options_.checks & io::kCheckGuard) != 0 &&
                       info.guard != guard_of(ns, io.data + (std::size_t{i} << ns.block_shift), own);
    const bool apptag = (options_.checks & io::kCheckAppTag) != 0 &&
                        (info.apptag & options_.apptag_mask) != (options_.apptag & options_.apptag_mask);
    const bool reftag = (options_.checks & io::kCheckRefTag) != 0 && ns.protection_type != 3 &&
                        info.reftag != static_cast<std::uint32_t>(io.lba + i);
    if (guard || apptag || reftag) return true;
  }
  return false;
}

}  // namespace fathom::engine::queue
