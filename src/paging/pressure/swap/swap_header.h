// The first page of a swap area, and the kernel's list of active areas. fathom writes the header itself instead of
// calling mkswap(8): the UUID is then known before anything is changed, and identifies the area at clean-up as this
// run's own. Layout: union swap_header of include/linux/swap.h, version 1, as mkswap(8) writes it. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::paging::pressure::swap {

inline constexpr std::uint64_t kSwapPagesMin = 10;  // minimum of the kernel and mkswap
inline constexpr int kSwapPriority = 32767;         // the highest: ours is used first

using SwapUuid = std::array<std::byte, 16>;
SwapUuid random_uuid();
std::string uuid_hex(const SwapUuid& uuid);  // 32 lower-case digits

// Page of page_bytes for an area of size_bytes (whole pages are used).
std::vector<std::byte> swap_page(std::uint64_t size_bytes, std::size_t page_bytes, const SwapUuid& uuid,
                                 std::string_view label);

struct SwapHeader {
  std::uint64_t pages = 0;  // with the header's page
  std::string uuid;         // hex
  std::string label;
};
std::optional<SwapHeader> parse_swap_page(const std::vector<std::byte>& page);

struct ActiveSwap {
  std::string path;
  std::string type;  // partition, file
  std::uint64_t size_bytes = 0, used_bytes = 0;
  int priority = 0;
};
std::vector<ActiveSwap> parse_active_swaps(std::string_view proc_swaps);

}  // namespace fathom::paging::pressure::swap
