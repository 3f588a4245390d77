// Finds the sightings of one I/O among all that the block layer did, and divides its time by them.
//
// Problem: a tracepoint knows a disk, sectors, a direction, a process and a moment, and no I/O of ours. An I/O may be split
// or merged on its way, others move bytes at the same sectors, and events are lost under load. A division that is wrong
// now and then looks like any other.
//
// Choice: an I/O is divided where no guess is needed, and left out and counted where one is. What counts as the I/O's own:
// the same disk, overlapping sectors, the same direction, queued by the I/O's own process between its issue and its reap,
// issued to the device after that, completed before the reap. Where somebody else was at the same sectors in the same
// time, so that which is whose would be a guess, the I/O is left out. One that its process did not queue itself is told
// apart by what else was seen there: a kernel's task that queued it later (a limit of its cgroup held it), a read that was
// under way already, or nothing at all, which is the page cache only where there is one between.
// Source: the kernel's Documentation/trace/events.rst and include/trace/events/block.h; docs/breakdown.md says what the
// parts mean. Pure but for the table's own state. Thread rule: one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pmu/trace/block_event.h"
#include "result/breakdown.h"

namespace fathom::pmu::trace::split {

// A stretch of a disk. bios: the disk takes bios and makes no requests, so its time cannot be divided further.
struct Piece {
  std::uint32_t dev = 0;
  std::uint64_t sector = 0;
  std::uint64_t sectors = 0;
  bool bios = false;
};

struct TimedIo {
  std::uint64_t start_ns = 0, reap_ns = 0;  // on the events' time scale
  std::uint8_t dir = 0;
  std::int32_t process = 0;
  bool direct = false;  // no page cache is between
};

struct SplitIo {
  bool matched = false;
  result::Undivided why = result::Undivided::no_request;  // not matched
  bool queue_covered = false;                             // the disk makes requests
  std::uint64_t part_ns[result::kEventParts] = {};
  std::uint64_t outside_ns = 0;  // its events lay so far before its issue or after its reap: the parts exceed the whole
};

class EventTable {
 public:
  explicit EventTable(std::size_t most_events = 1 << 18) : most_(most_events) {}
  void add(const BlockEvent& event) { fresh_.push_back({event, 0}); }
  // What was added is found from here on; events that nobody may ask for any more are forgotten: used ones some turns
  // after their use, others for want of room, the old first, or after a minute. Returns how many of the last two
  // seconds were dropped, all that there was room for being younger still.
  std::uint64_t turn(std::uint64_t now_ns);
  // Between two turns. slack_ns: by how much the two time scales may disagree. An I/O that began before something
  // unused was forgotten is incomplete where its events are not found.
  SplitIo match(const TimedIo& io, std::span<const Piece> pieces, std::uint64_t slack_ns);
  // Whether a process number is a task of the kernel's own; nobody is until it is set.
  void set_kernel_task(std::function<bool(std::int32_t)> is) { is_kernel_task_ = std::move(is); }
  std::size_t size() const { return events_.size() + fresh_.size(); }

 private:
  struct Held {
    BlockEvent event;
    std::uint32_t used_turn;  // 0: not yet
  };
  struct Seen {
    Held* held;
    std::uint64_t overlap;  // sectors in common
    std::size_t piece;
  };
  void forget(std::uint64_t before_ns);
  std::uint64_t median_ns(std::uint64_t before_ns) const;
  void collect(const TimedIo& io, std::span<const Piece> pieces, std::uint64_t slack_ns);
  result::Undivided not_queued(const TimedIo& io, std::span<const Piece> pieces);
  bool by_kernel_task(const BlockEvent& e) const { return is_kernel_task_ && is_kernel_task_(e.process); }

  std::size_t most_;
  std::function<bool(std::int32_t)> is_kernel_task_;
  std::uint32_t turn_ = 1;
  std::uint64_t forgotten_ns_ = 0;  // the youngest unused event that is gone
  std::uint32_t longest_ = 0;       // sectors of the longest event held
  std::vector<Held> events_, fresh_;
  std::vector<Seen> seen_;
};

}  // namespace fathom::pmu::trace::split
