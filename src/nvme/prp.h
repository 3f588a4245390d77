// PRPs, the addresses of a command's data (NVM Express Base Specification 2.0c, section 4.1.1).
// PRP1 is the address of the first byte, with any offset into its page.
// PRP2 is the address of the second page, or of a list of all pages after the first.
// A list never crosses its page: the transfer limit is low enough that no list needs a second page.
// Thread rule: pure functions; any thread.
#pragma once
#include <bit>
#include <cstdint>

namespace fathom::nvme {

inline constexpr std::uint32_t kPageBytes = 4096;
// This driver's limit for one command. It is 257 pages at worst, which need a list of 2 KiB.
inline constexpr std::uint32_t kTransferBytesMax = 1u << 20;

struct Prps {
  std::uint64_t prp1 = 0, prp2 = 0;
};

// Distance in bytes between PRP lists for commands of at most `transfer_bytes_max` bytes.
// It is a power of two, so that no list crosses a page.
constexpr std::uint32_t prp_list_bytes(std::uint32_t transfer_bytes_max) {
  return std::bit_ceil((transfer_bytes_max / kPageBytes + 1) * 8);
}
static_assert(prp_list_bytes(kTransferBytesMax) <= kPageBytes);

// PRPs for `bytes` bytes at the device address `iova`; bytes > 0.
// If a list is needed, the function writes it to `list`. `list_iova` is the device address of `list`.
// `list` has room for prp_list_bytes() bytes. A list entry is the address of one 4 KiB page.
// The data must be contiguous in the device's address space.
inline Prps describe_data(std::uint64_t iova, std::uint32_t bytes, std::uint64_t* list, std::uint64_t list_iova) {
  const std::uint32_t in_first = kPageBytes - static_cast<std::uint32_t>(iova & (kPageBytes - 1));
  if (bytes <= in_first) return {iova, 0};
  const std::uint64_t second = iova + in_first;
  const std::uint32_t left = bytes - in_first;
  if (left <= kPageBytes) return {iova, second};
  const std::uint32_t pages = (left + kPageBytes - 1) / kPageBytes;
  for (std::uint32_t i = 0; i < pages; ++i) list[i] = second + static_cast<std::uint64_t>(i) * kPageBytes;
  return {iova, list_iova};
}

}  // namespace fathom::nvme
