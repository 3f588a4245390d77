// Reads the placements of a namespace, and selects one for each write.
#include "engine/queue/data_placement.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>

#include "base/files/input_file.h"
#include "base/text/parse.h"
#include "nvme/status.h"

namespace fathom::engine::queue {
namespace {

constexpr std::size_t kStatusHead = 16, kStatusEntry = 32, kStatusCount = 14;
constexpr std::uint8_t kIoManagementReceive = 0x12;
constexpr std::uint32_t kHandleStatus = 1;
constexpr unsigned kDirectiveTypeShift = 20, kDirectiveSpecificShift = 16;

base::Error mistake(std::string what, std::string help) {
  return {base::ErrorKind::usage, std::move(what), "", std::move(help), {}, EINVAL};
}

std::uint16_t half_word(std::span<const std::byte> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[at]) | std::to_integer<unsigned>(bytes[at + 1])
                                                                               << 8);
}

bool read_numbers(std::string_view line, std::uint64_t (&numbers)[3]) {
  for (std::size_t i = 0; i < 3; ++i) {
    const auto comma = line.find(',');
    if ((comma == std::string_view::npos) != (i == 2)) return false;
    const auto word = base::text::trim(line.substr(0, comma));
    const auto [end, err] = std::from_chars(word.data(), word.data() + word.size(), numbers[i]);
    if (err != std::errc() || end != word.data() + word.size()) return false;
    line.remove_prefix(i == 2 ? line.size() : comma + 1);
  }
  return true;
}

base::Expected<std::vector<PlacementRange>> read_scheme(const std::string& file) {
  if (file.empty()) return mistake("plid_select=scheme without dp_scheme", "name the file: `dp_scheme=/path/of/file`");
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  const auto text = base::files::read_input("dp_scheme: the file", file, kMostBytes);
  return text ? parse_placement_scheme(*text, file) : text.error();
}

}  // namespace

base::Expected<std::vector<PlacementRange>> parse_placement_scheme(std::string_view text, const std::string& file) {
  std::vector<PlacementRange> ranges;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (base::text::trim(line).empty()) continue;
    std::uint64_t numbers[3] = {};
    if (!read_numbers(line, numbers))
      return mistake(fmt::format("dp_scheme: line {} of `{}` is not a range", number, file),
                     "write `start, end, placement`, for example `0, 1073741824, 0`");
    ranges.push_back({numbers[0], numbers[1], static_cast<std::uint32_t>(numbers[2])});
  }
  return ranges;
}

std::vector<std::uint16_t> placement_ids(std::span<const std::byte> ruh_status) {
  std::vector<std::uint16_t> ids;
  if (ruh_status.size() < kStatusHead) return ids;
  const std::size_t said = half_word(ruh_status, kStatusCount);
  const std::size_t there = (ruh_status.size() - kStatusHead) / kStatusEntry;
  for (std::size_t i = 0; i < std::min(said, there); ++i)
    ids.push_back(half_word(ruh_status, kStatusHead + i * kStatusEntry));
  return ids;
}

base::Expected<DataPlacement> DataPlacement::make(const io::DataPlacementOptions& options,
                                                  std::span<const std::uint16_t> available) {
  DataPlacement made;
  made.kind_ = options.kind;
  made.select_ = options.select;
  if (options.kind == io::Placement::none) return made;
  if (options.kind == io::Placement::streams) {
    made.ids_ = options.ids;
  } else if (options.ids.empty()) {
    made.ids_.assign(available.begin(), available.end());
  } else {
    for (const auto index : options.ids) {
      if (index >= available.size())
        return mistake(fmt::format("plids: the namespace has no placement {}", index),
                       fmt::format("the number of placements is {}, counted from 0", available.size()));
      made.ids_.push_back(available[index]);
    }
  }
  if (made.ids_.empty()) return mistake("dataplacement=streams without plids", "name streams: `plids=1,2`");
  if (options.select != io::PlacementSelect::scheme) return made;
  auto ranges = read_scheme(options.scheme_file);
  if (!ranges) return ranges.error();
  for (const auto& range : *ranges)
    if (range.index >= made.ids_.size())
      return mistake(fmt::format("dp_scheme: the job has no placement {}", range.index),
                     fmt::format("the number of placements is {}, counted from 0", made.ids_.size()));
  made.ranges_ = std::move(*ranges);
  return made;
}

std::uint16_t DataPlacement::next_id(std::uint64_t offset) {
  if (select_ == io::PlacementSelect::random) return ids_[prng_.below(ids_.size())];
  if (select_ == io::PlacementSelect::roundrobin) {
    if (turn_ == ids_.size()) turn_ = 0;
    return ids_[turn_++];
  }
  for (const auto& range : ranges_)
    if (range.start <= offset && offset < range.end) return ids_[range.index];
  return 0;
}

void DataPlacement::place(std::uint64_t offset, nvme_uring_cmd& write) {
  const std::uint32_t type = kind_ == io::Placement::fdp ? 2 : 1;
  write.cdw12 |= type << kDirectiveTypeShift;
  write.cdw13 |= std::uint32_t{next_id(offset)} << kDirectiveSpecificShift;
}

base::Expected<std::vector<std::uint16_t>> read_placement_ids(int fd, const NvmeNamespace& ns,
                                                              const std::string& path) {
  std::vector<std::byte> status(kStatusHead + io::kMostPlacements * kStatusEntry);
  nvme_passthru_cmd command{};
  command.opcode = kIoManagementReceive;
  command.nsid = ns.nsid;
  command.addr = reinterpret_cast<std::uint64_t>(status.data());
  command.data_len = static_cast<std::uint32_t>(status.size());
  command.cdw10 = kHandleStatus;
  command.cdw11 = static_cast<std::uint32_t>(status.size() / 4 - 1);
  const int rc = ::ioctl(fd, NVME_IOCTL_IO_CMD, &command);
  if (rc < 0) return base::system_error("ask `" + path + "`: read its placements", errno);
  auto ids = rc == 0 ? placement_ids(status) : std::vector<std::uint16_t>{};
  if (!ids.empty()) return ids;
  base::Error none = mistake(fmt::format("dataplacement=fdp: `{}` has no reclaim unit handles", path),
                             "enable flexible data placement in its endurance group, or omit dataplacement");
  none.kind = base::ErrorKind::io;
  if (rc > 0) none.cause = nvme::status_text(static_cast<std::uint16_t>(rc));
  return none;
}

}  // namespace fathom::engine::queue
