// Reads and writes of the guest's checks over a queue pair of any policy: many at once, every one of them counted,
// bounded by a clock.
#pragma once
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <vector>

#include "nvme/queue_pair.h"

namespace fathom::guest {

// What became of a batch of commands.
struct Outcome {
  unsigned submitted = 0, again = 0;  // given to the driver; tries that it had no room for
  unsigned good = 0, bad = 0, twice = 0;
  std::uint16_t last_status = 0;
  bool all_good() const { return bad == 0 && twice == 0 && good == submitted; }
  unsigned ended() const { return good + bad; }
};

struct Slot {
  Outcome* outcome;
  bool ended = false;
};

inline void note_end(void* context, const nvme::Completion& completion) {
  auto& slot = *static_cast<Slot*>(context);
  slot.outcome->twice += slot.ended;
  slot.ended = true;
  slot.outcome->last_status =
      nvme::status_of(completion) != 0 ? nvme::status_of(completion) : slot.outcome->last_status;
  ++(nvme::status_of(completion) == 0 ? slot.outcome->good : slot.outcome->bad);
}

// Commands of `bytes` each that follow each other on the namespace and in memory.
struct Run {
  nvme::NvmOpcode opcode = nvme::NvmOpcode::read;
  std::uint32_t nsid = 1, block_bytes = 512;
  std::uint64_t offset_bytes = 0;
  std::uint64_t iova = 0;
  std::uint32_t bytes = 4096;
  unsigned count = 1;
  std::uint32_t flags = 0;
};

class Batch {
 public:
  explicit Batch(unsigned most) { slots_.reserve(most); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // A full queue pair is polled until it has room: nothing was taken of what it refused.
  template <class Queue>
  void submit(Queue& queue, const Run& run) {
    for (unsigned i = 0; i < run.count; ++i) {
      slots_.push_back({&outcome_});
      const std::uint64_t from = std::uint64_t{i} * run.bytes;
      const auto post = [&] {
        return queue.read_write(run.opcode, run.nsid, (run.offset_bytes + from) / run.block_bytes,
                                run.bytes / run.block_bytes, run.iova + from, run.bytes, note_end, &slots_.back(),
                                run.flags);
      };
      int error = post();
      for (const auto end = deadline(); error == -ENOMEM && std::chrono::steady_clock::now() < end; error = post()) {
        ++outcome_.again;
        look(queue);
      }
      if (error == 0) ++outcome_.submitted;
    }
    queue.ring();
  }
  template <class Queue>
  const Outcome& finish(Queue& queue) {
    for (const auto end = deadline(); outcome_.ended() < outcome_.submitted && std::chrono::steady_clock::now() < end;)
      look(queue);
    return outcome_;
  }
  const Outcome& outcome() const { return outcome_; }

 private:
  static std::chrono::steady_clock::time_point deadline() {
    return std::chrono::steady_clock::now() + std::chrono::seconds(20);
  }
  template <class Queue>
  static void look(Queue& queue) {
    queue.ring();
    queue.poll(256, [](void*, std::uint16_t) {});
  }

  std::vector<Slot> slots_;
  Outcome outcome_;
};

}  // namespace fathom::guest
