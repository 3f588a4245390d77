// The layout of a tracepoint's record: the `format` file of tracefs has its fields with offset and size. Nothing here
// has fixed offsets, because they move between kernels (block_rq_issue has an ioprio since 6.8).
// Source: Documentation/trace/events.rst. Pure but for load_event_format; thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::pmu::trace {

struct TraceField {
  std::string name, type;  // "rwbs", "char rwbs[10]" without the name: "char[10]"
  std::size_t offset = 0, size = 0;
  bool is_signed = false;
};

struct EventFormat {
  std::string name;
  std::uint16_t id = 0;  // config of perf_event_open, and common_type of every record
  std::vector<TraceField> fields;
  const TraceField* find(std::string_view field) const;
};

// Errors name the line that does not have the kernel's format.
base::Expected<EventFormat> parse_event_format(std::string_view text);

// events/<system>/<event>/format under tracefs's directory (pmu/events/tracefs.h).
base::Expected<EventFormat> load_event_format(const std::string& folder, std::string_view system,
                                              std::string_view event);

// An integer field of 1, 2, 4 or 8 bytes from a record; 0 if the record is too short.
std::uint64_t read_field(std::span<const std::byte> record, const TraceField& field);
// Bytes of a fixed array up to its first 0.
std::string_view read_text(std::span<const std::byte> record, const TraceField& field);

}  // namespace fathom::pmu::trace
