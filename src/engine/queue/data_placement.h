// The placement of a write: directive type and directive specific field of its command (dwords 12 and 13).
// Source: NVM Express Base Specification 2.0, directives; TP4146 (flexible data placement): I/O Management Receive,
// Reclaim Unit Handle Status. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/prng.h"
#include "engine/queue/nvme_passthrough.h"
#include "io/data_placement.h"

namespace fathom::engine::queue {

// A range of offsets from dp_scheme=, and its placement as an index into the job's list.
struct PlacementRange {
  std::uint64_t start = 0, end = 0;
  std::uint32_t index = 0;
};
// Parses lines like "0, 1048576, 0". Errors: usage, with the line. Pure.
base::Expected<std::vector<PlacementRange>> parse_placement_scheme(std::string_view text, const std::string& file);

// The placement identifiers in a device's Reclaim Unit Handle Status. Pure.
std::vector<std::uint16_t> placement_ids(std::span<const std::byte> ruh_status);

class DataPlacement {
 public:
  DataPlacement() = default;
  // available: for fdp, the device's placement identifiers. Errors: usage: an unavailable number, no numbers at all, an
  // unreadable scheme.
  static base::Expected<DataPlacement> make(const io::DataPlacementOptions& options,
                                            std::span<const std::uint16_t> available);
  bool used() const { return kind_ != io::Placement::none; }
  void place(std::uint64_t offset, nvme_uring_cmd& write);

 private:
  std::uint16_t next_id(std::uint64_t offset);
  io::Placement kind_ = io::Placement::none;
  io::PlacementSelect select_ = io::PlacementSelect::roundrobin;
  std::vector<std::uint16_t> ids_;
  std::vector<PlacementRange> ranges_;
  std::size_t turn_ = 0;
  base::Prng prng_{1};
};

// Queries the namespace of an open character device for its handles. Errors: not_built: the namespace has no handles.
base::Expected<std::vector<std::uint16_t>> read_placement_ids(int fd, const NvmeNamespace& ns, const std::string& path);

}  // namespace fathom::engine::queue
