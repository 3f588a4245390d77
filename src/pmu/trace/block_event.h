// One event of an I/O in the kernel's block layer, from a tracepoint's record.
// Source: include/trace/events/block.h of the kernel (meaning), tracefs format files (layout). Pure; thread-safe.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "pmu/trace/event_format.h"

namespace fathom::pmu::trace {

enum class BlockPoint : std::uint8_t { bio_queue, rq_issue, rq_complete, bio_complete };
inline constexpr std::size_t kBlockPoints = 4;
constexpr const char* name(BlockPoint point) {
  constexpr const char* names[] = {"block_bio_queue", "block_rq_issue", "block_rq_complete", "block_bio_complete"};
  return names[static_cast<int>(point)];
}

struct BlockEvent {
  std::uint64_t time_ns = 0;  // by its source's clock
  std::uint64_t sector = 0;   // of 512 bytes, from the start of the whole disk
  std::uint32_t sectors = 0;
  std::uint32_t dev = 0;     // major << 20 | minor, as the kernel numbers internally
  std::int32_t process = 0;  // the running process: the submitter at bio_queue, any process later
  BlockPoint point = BlockPoint::bio_queue;
  std::uint8_t dir = 0;  // as io::Dir; kNoDir: a flush, or a separate command
  bool flush = false;    // the device's cache is flushed before it, or it is only a flush
};
inline constexpr std::uint8_t kNoDir = 3;

// "WS", "R", "FWFS", "DS": the block layer's name of the operation.
std::uint8_t direction_of(std::string_view rwbs);
bool begins_with_flush(std::string_view rwbs);

class BlockDecoder {
 public:
  // The formats of the points that were opened. An Error names the field that a format lacks.
  static base::Expected<BlockDecoder> make(std::span<const std::pair<BlockPoint, EventFormat>> formats);
  // `raw`: the data of PERF_SAMPLE_RAW. nullopt: the record is of another tracepoint, or too short.
  std::optional<BlockEvent> decode(std::span<const std::byte> raw, std::int32_t process, std::uint64_t time_ns) const;

 private:
  struct Layout {
    std::uint16_t id;
    BlockPoint point;
    TraceField dev, sector, sectors, rwbs;
  };
  TraceField type_;  // common_type: in every record at the same place
  std::vector<Layout> layouts_;
};

}  // namespace fathom::pmu::trace
