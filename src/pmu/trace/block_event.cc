// Reads the relevant letters and fields.
#include "pmu/trace/block_event.h"

namespace fathom::pmu::trace {
namespace {

base::Error lacks(const EventFormat& format, std::string_view field) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = "tracepoint " + format.name + " has no field `" + std::string(field) + "`";
  e.cause = "this kernel's description of the block layer is not supported";
  return e;
}

}  // namespace

// A leading F is a flush before the operation. If nothing follows, the flush is the whole operation.
std::uint8_t direction_of(std::string_view rwbs) {
  if (rwbs.size() > 1 && rwbs.front() == 'F') rwbs.remove_prefix(1);
  if (rwbs.empty()) return kNoDir;
  switch (rwbs.front()) {
    case 'R':
      return 0;
    case 'W':
      return 1;
    case 'D':
      return 2;
    default:
      return kNoDir;
  }
}

bool begins_with_flush(std::string_view rwbs) { return rwbs.starts_with('F'); }

base::Expected<BlockDecoder> BlockDecoder::make(std::span<const std::pair<BlockPoint, EventFormat>> formats) {
  BlockDecoder decoder;
  for (const auto& [point, format] : formats) {
    constexpr std::string_view kFields[] = {"common_type", "dev", "sector", "nr_sector", "rwbs"};
    const TraceField* found[std::size(kFields)];
    for (std::size_t i = 0; i < std::size(kFields); ++i) {
      found[i] = format.find(kFields[i]);
      if (found[i] == nullptr) return lacks(format, kFields[i]);
    }
    decoder.type_ = *found[0];
    decoder.layouts_.push_back({format.id, point, *found[1], *found[2], *found[3], *found[4]});
  }
  return decoder;
}

std::optional<BlockEvent> BlockDecoder::decode(std::span<const std::byte> raw, std::int32_t process,
                                               std::uint64_t time_ns) const {
  const auto id = read_field(raw, type_);
  for (const auto& layout : layouts_) {
    if (layout.id != id) continue;
    const auto& last = layout.rwbs;
    if (raw.size() < last.offset + last.size) return std::nullopt;
    BlockEvent event;
    event.time_ns = time_ns;
    event.sector = read_field(raw, layout.sector);
    event.sectors = static_cast<std::uint32_t>(read_field(raw, layout.sectors));
    event.dev = static_cast<std::uint32_t>(read_field(raw, layout.dev));
    event.process = process;
    event.point = layout.point;
    const auto letters = read_text(raw, layout.rwbs);
    event.dir = direction_of(letters);
    event.flush = begins_with_flush(letters);
    return event;
  }
  return std::nullopt;
}

}  // namespace fathom::pmu::trace
