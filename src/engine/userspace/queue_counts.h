// Counters of an engine with its own queues, besides the I/Os. Plain counters, in a worker's record.
#pragma once
#include <algorithm>
#include <cstdint>

namespace fathom::engine::userspace {

struct QueueCounts {
  std::uint64_t queue_pairs = 0;
  std::uint64_t commands = 0, completions = 0;
  std::uint64_t sq_doorbells = 0, cq_doorbells = 0;
  std::uint64_t polls = 0, idle_polls = 0;
  std::uint64_t waited = 0, split = 0, unexpected = 0, timeouts = 0, aborted = 0;
  std::uint64_t doorbell_cost_ns = 0;
  std::uint64_t ios = 0;      // counted by the loop, including syncs and failed I/Os; one can be several commands
  std::uint32_t sq_copy = 0;  // index into engine::userspace::sq_copy_name()

  void add(const QueueCounts& o) {
    queue_pairs += o.queue_pairs;
    commands += o.commands;
    completions += o.completions;
    sq_doorbells += o.sq_doorbells;
    cq_doorbells += o.cq_doorbells;
    polls += o.polls;
    idle_polls += o.idle_polls;
    waited += o.waited;
    split += o.split;
    unexpected += o.unexpected;
    timeouts += o.timeouts;
    aborted += o.aborted;
    ios += o.ios;
    doorbell_cost_ns = std::max(doorbell_cost_ns, o.doorbell_cost_ns);
    sq_copy = std::max(sq_copy, o.sq_copy);
  }
};

// "words", "nontemporal", ...
const char* sq_copy_name(std::uint32_t sq_copy);

}  // namespace fathom::engine::userspace
