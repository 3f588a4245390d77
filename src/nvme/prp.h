// Telling a device where data lies (NVM Express Base Specification 2.0c, section 4.1.1): PRP1 is the first byte, of any
// offset into its page; PRP2 is the second page, or the address of a list of all pages after the first. A list never
// leaves its page here: transfers are capped so that it need not chain.
#pragma once
#include <bit>
#include <cstdint>

namespace fathom::nvme {

inline constexpr std::uint32_t kPageBytes = 4096;
inline constexpr std::uint32_t kTransferBytesMax = 1u << 20;  // this driver's own: 257 pages at worst, a list of 2 KiB

struct Prps {
  std::uint64_t prp1 = 0, prp2 = 0;
};

// Bytes apart of the lists of commands that move at most so much: a power of two, so that none crosses a page.
constexpr std::uint32_t prp_list_bytes(std::uint32_t transfer_bytes_max) {
  return std::bit_ceil((transfer_bytes_max / kPageBytes + 1) * 8);
}
static_assert(prp_list_bytes(kTransferBytesMax) <= kPageBytes);

// bytes > 0. `list` is where the entries go if there must be a list, `list_iova` its address for the device.
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
