// Offsets in union swap_header: 1,024 bytes for a boot block, version, last page, number of bad pages, UUID, label. The
// signature is at the end of the page.
#include "paging/pressure/swap/swap_header.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "host/mounts/mount_table.h"
#include "host/proc/proc_text.h"

namespace fathom::paging::pressure::swap {
namespace {

constexpr std::size_t kVersionAt = 1024, kLastPageAt = 1028, kUuidAt = 1036, kLabelAt = 1052, kLabelBytes = 16;
constexpr std::string_view kSignature = "SWAPSPACE2";
constexpr std::uint32_t kVersion = 1;

template <class T>
T number(std::string_view text) {
  T value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

SwapUuid random_uuid() {
  SwapUuid uuid{};
  if (::getrandom(uuid.data(), uuid.size(), 0) != static_cast<ssize_t>(uuid.size())) uuid.fill(std::byte{0x5a});
  uuid[6] = (uuid[6] & std::byte{0x0f}) | std::byte{0x40};  // RFC 4122: version 4
  uuid[8] = (uuid[8] & std::byte{0x3f}) | std::byte{0x80};
  return uuid;
}

std::string uuid_hex(const SwapUuid& uuid) {
  std::string text;
  for (const std::byte b : uuid) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

std::vector<std::byte> swap_page(std::uint64_t size_bytes, std::size_t page_bytes, const SwapUuid& uuid,
                                 std::string_view label) {
  std::vector<std::byte> page(page_bytes);
  const std::uint64_t pages = size_bytes / page_bytes;
  const auto last_page =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(pages, std::numeric_limits<std::uint32_t>::max()) - 1);
  std::memcpy(page.data() + kVersionAt, &kVersion, sizeof kVersion);
  std::memcpy(page.data() + kLastPageAt, &last_page, sizeof last_page);
  std::memcpy(page.data() + kUuidAt, uuid.data(), uuid.size());
  std::memcpy(page.data() + kLabelAt, label.data(), std::min(label.size(), kLabelBytes - 1));
  std::memcpy(page.data() + page_bytes - kSignature.size(), kSignature.data(), kSignature.size());
  return page;
}

std::optional<SwapHeader> parse_swap_page(const std::vector<std::byte>& page) {
  if (page.size() < kLabelAt + kLabelBytes + kSignature.size()) return std::nullopt;
  if (std::memcmp(page.data() + page.size() - kSignature.size(), kSignature.data(), kSignature.size()) != 0) {
    return std::nullopt;
  }
  std::uint32_t version = 0, last_page = 0;
  std::memcpy(&version, page.data() + kVersionAt, sizeof version);
  std::memcpy(&last_page, page.data() + kLastPageAt, sizeof last_page);
  if (version != kVersion) return std::nullopt;
  SwapUuid uuid;
  std::memcpy(uuid.data(), page.data() + kUuidAt, uuid.size());
  const auto* label = reinterpret_cast<const char*>(page.data() + kLabelAt);
  return SwapHeader{std::uint64_t{last_page} + 1, uuid_hex(uuid), std::string(label, ::strnlen(label, kLabelBytes))};
}

std::vector<ActiveSwap> parse_active_swaps(std::string_view proc_swaps) {
  std::vector<ActiveSwap> swaps;
  for (const auto line : host::proc::split_lines(proc_swaps)) {
    const auto fields = host::proc::split_fields(line);
    if (fields.size() != 5 || fields[0].front() != '/') continue;
    swaps.push_back({host::mounts::unescape_octal(fields[0]), std::string(fields[1]),
                     number<std::uint64_t>(fields[2]) * 1024, number<std::uint64_t>(fields[3]) * 1024,
                     number<int>(fields[4])});
  }
  return swaps;
}

}  // namespace fathom::paging::pressure::swap
