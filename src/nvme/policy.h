// The tricks of the I/O path, each of which can be taken away on its own: a queue pair is a template over one Policy,
// so that no trick costs a test when it is off. They are those of "10.39M Storage I/O Per Second From One Thread" (SPDK
// blog, 2019) and its "future work". docs/dev/performance.md shows what each is worth here.
#pragma once
#include <cstdint>
#include <string_view>

namespace fathom::nvme {

// How a command gets into its slot of the ring. Non-temporal stores keep the ring's lines out of our cache: the device
// is the only reader. At depth 1 they lose, since the device waits for the write-combining buffer to drain.
enum class SqCopy : std::uint8_t { words, sse2, nontemporal, avx512, movdir64b };
// When the submission doorbell is written: once for everything posted since the last time, or after each command.
enum class SqDoorbell : std::uint8_t { batch, command };
// When the completion doorbell is written: once a poll, after each entry, or not before the device could need the room.
enum class CqDoorbell : std::uint8_t { poll, entry, lazy };
// What is fetched ahead of the completion being handled: nothing, the next tracker, or the trackers two ahead and the
// context of the next.
enum class Lookahead : std::uint8_t { none, next, pipeline };
// Completion entries are looked at one by one, or a cache line of four at a time, which is then not looked at again.
enum class CqRead : std::uint8_t { entry, line };
// Whether callback and context lie in the tracker or behind one more dependent load, as before the source's fix.
enum class Context : std::uint8_t { in_tracker, in_request };

struct Policy {
  SqCopy copy = SqCopy::words;
  SqDoorbell sq_doorbell = SqDoorbell::batch;
  CqDoorbell cq_doorbell = CqDoorbell::poll;
  Lookahead lookahead = Lookahead::next;
  CqRead cq_read = CqRead::entry;
  Context context = Context::in_tracker;
  bool wide_entries = false;       // completion entries of 64 bytes (CC.IOCQES = 6), where the controller offers them
  bool trackers_4k_apart = false;  // each tracker on a page of its own, as when it holds its PRP list
  bool divide = false;             // a division in choosing the address, as the source's tool had
  bool operator==(const Policy&) const = default;
};

}  // namespace fathom::nvme
