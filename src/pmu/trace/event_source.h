// Where the events of the block layer come from. Two ways: programs on the tracepoints (block_programs.h), which see
// every event, and samples of perf_event_open(2), for where programs may not be loaded. Samples cost more, and
// Linux 6.18 was seen to make none, and to count none as lost, of most tracepoints that an interrupt of an idle CPU
// passes: on a quiet machine that is where I/Os complete. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "clock/sources/bracket.h"
#include "pmu/trace/block_event.h"
#include "pmu/trace/event_format.h"

namespace fathom::pmu::trace {

class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual const char* name() const = 0;                  // as result::Breakdown::events_by
  virtual clock::sources::HeldAgainst time() const = 0;  // of BlockEvent::time_ns
  virtual double full_rate() const = 0;                  // events a second above which it is looked at in slices
  virtual void enable() = 0;                             // off at first
  virtual void disable() = 0;                            // its callers then pay little, open as it is
  virtual bool wait(int timeout_ms) = 0;                 // until there is much to read. False: it has gone for good
  virtual void read(const std::function<void(const BlockEvent&)>& take) = 0;
  virtual std::uint64_t lost() const = 0;
};

using PointFormats = std::vector<std::pair<BlockPoint, EventFormat>>;

// Samples of perf. devices: as BlockEvent::dev; all, if there are none.
base::Expected<std::unique_ptr<EventSource>> open_perf_samples(const PointFormats& formats,
                                                               std::span<const std::uint32_t> devices);

struct OpenedSource {
  std::unique_ptr<EventSource> source;
  std::string not_programs;  // why it is not programs, where it is not
};
// Programs where they can be had, samples otherwise.
base::Expected<OpenedSource> open_events(const PointFormats& formats, std::span<const std::uint32_t> devices);

}  // namespace fathom::pmu::trace
