// The optimizations of the I/O path. Each can be disabled separately.
// A queue pair is a template over one Policy, so a disabled optimization costs no test at run time.
// Source: "10.39M Storage I/O Per Second From One Thread" (SPDK blog, 2019), with its "future work".
// docs/dev/performance.md has the measured effect of each one here.
// Thread rule: plain data; any thread.
#pragma once
#include <cstdint>
#include <string_view>

namespace fathom::nvme {

// How the driver writes a command into its slot of the ring.
// Non-temporal stores keep the ring's lines out of the CPU cache, since only the device reads them.
// They are slower at depth 1, where the device waits for the write-combining buffer to drain.
enum class SqCopy : std::uint8_t { words, sse2, nontemporal, avx512, movdir64b };
// When the driver writes the submission doorbell.
// batch: once for all commands posted since the last write; command: after each command.
enum class SqDoorbell : std::uint8_t { batch, command };
// When the driver writes the completion doorbell.
// poll: once per poll; entry: after each entry; lazy: no earlier than the device could need the entries.
enum class CqDoorbell : std::uint8_t { poll, entry, lazy };
// What the driver prefetches while it handles a completion.
// none: nothing; next: the next tracker; pipeline: the tracker two ahead, and the context of the next command.
enum class Lookahead : std::uint8_t { none, next, pipeline };
// How the driver reads completion entries.
// entry: one by one; line: a cache line of four at a time, each line read once.
enum class CqRead : std::uint8_t { entry, line };
// Where callback and context are.
// in_tracker: in the tracker; in_request: behind one more dependent load, as in the source before its fix.
enum class Context : std::uint8_t { in_tracker, in_request };

struct Policy {
  SqCopy copy = SqCopy::words;
  SqDoorbell sq_doorbell = SqDoorbell::batch;
  CqDoorbell cq_doorbell = CqDoorbell::poll;
  Lookahead lookahead = Lookahead::next;
  CqRead cq_read = CqRead::entry;
  Context context = Context::in_tracker;
  // Completion entries of 64 bytes (CC.IOCQES = 6), if the controller offers these.
  // QueueOptions and ControllerOptions must then have completion_entry_bytes = 64.
  bool wide_entries = false;
  // Each tracker in its own 4 KiB page, as if it contained its PRP list. QueueOptions must have the same value.
  bool trackers_4k_apart = false;
  // Compute the address with a division, as the source's tool did.
  bool divide = false;
  bool operator==(const Policy&) const = default;
};

}  // namespace fathom::nvme
