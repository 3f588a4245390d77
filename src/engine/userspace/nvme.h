// nvme: the user-space driver as an engine. Each engine has one queue pair per target. The workers of a process share
// its controllers (nvme_devices.h). A loop slot is the context of its command, so completions need no lookup table.
// Header only, like the driver's path, so that the compiler optimizes loop, engine and driver together.
//
// A template over the driver's policy, which nvme_policy.h selects.
// A template over the driver's policy: nvme_policy.h picks one.
#pragma once
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/userspace/nvme_devices.h"
#include "engine/userspace/nvme_lanes.h"
#include "engine/userspace/queue_counts.h"
#include "nvme/queue_pair.h"

namespace fathom::engine::userspace {

template <nvme::Policy P>
class NvmeEngine : public NvmeLanes {
  using Queue = nvme::QueuePair<P>;

 public:
  static constexpr bool kWholeOrNothing = true;
  static constexpr bool kPolls = true;

  NvmeEngine() = default;
  ~NvmeEngine() { close(); }

  base::Expected<void> open(const Setup& setup) {
    queues_.clear();
    for (std::size_t i = 0; i < setup.targets.size(); ++i) queues_.push_back(std::make_unique<Queue>());
    std::vector<nvme::QueueCore*> cores;
    for (auto& queue : queues_) cores.push_back(queue.get());
    sq_copy_ = static_cast<std::uint32_t>(P.copy);
    return open_lanes(setup, cores, {.apart = P.trackers_4k_apart, .entry_bytes = Queue::kEntryBytes});
  }

  [[gnu::always_inline]] void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    if (static_cast<unsigned>(request.dir) > static_cast<unsigned>(io::Dir::write)) [[unlikely]]
      return post_rare(slot, request);
    const Lane& lane = lanes_[request.target];
    const auto dir = static_cast<unsigned>(request.dir);
    const int rc =
        static_cast<Queue*>(lane.queue)
            ->post_prepared(lane.head[dir], request.offset >> lane.block_shift, lane.block_shift, lane.flags[dir],
                            reinterpret_cast<std::uint64_t>(buffer) + lane.iova_delta, request.length, context(slot));
    if (rc != 0) [[unlikely]]
      refuse(slot, request.target, rc);
  }

  [[gnu::always_inline]] int ring(unsigned /*wait_for*/ = 0) {
    if (single_) [[likely]]
      static_cast<Queue*>(lanes_[0].queue)->ring();
    else
      for (auto& queue : queues_) queue->ring();
    return 0;
  }

  [[gnu::always_inline]] int reap(unsigned min, std::span<io::Completion> out) {
    const unsigned n = look(out);
    if ((++looks_ & 0x3fff) == 0) [[unlikely]]
      rest();  // checks for a lost command while others complete
    if (n != 0 || min == 0) return static_cast<int>(n);
    wait();
    return static_cast<int>(look(out));
  }

  // For a caller with no other work: polls until a completion is available, or for a limited time, so that the caller
  // can check the clock. Reaps nothing. Not inlined: instruction profiles then show waiting under its own name.
  [[gnu::noinline]] void wait() {
    constexpr std::uint64_t kLooks = 4096;
    std::uint64_t looks = 0;
    for (; looks < kLooks; ++looks) {
      bool ready = late_count_ != 0;
      for (auto& queue : queues_) ready |= queue->ready();
      if (ready) break;
      step_device();
    }
    if (!queues_.empty()) queues_[0]->count_idle(looks);
    if (looks == kLooks) rest();
  }

  [[gnu::always_inline]] void idle() {
    step_device();
    if (++idle_ % 1024 == 0) rest();
  }

  void close() {
    close_lanes();
    queues_.clear();
  }

 private:
  [[gnu::always_inline]] unsigned look(std::span<io::Completion> out) {
    unsigned n = 0;
    if (late_count_ != 0) [[unlikely]]
      n = take_late(out);
    const auto room = static_cast<unsigned>(out.size());
    Sink sink{this, out.data() + n};
    if (single_) [[likely]] {
      static_cast<Queue*>(lanes_[0].queue)->poll(room - n, sink);
    } else {
      for (auto& queue : queues_) {
        const auto taken = static_cast<unsigned>(sink.next - out.data());
        if (taken < room) queue->poll(room - taken, sink);
      }
    }
    return static_cast<unsigned>(sink.next - out.data());
  }
  // Receives completions. A successful one is its slot and a zero, written as one word.
  struct Sink {
    NvmeEngine* engine;
    io::Completion* next;
    [[gnu::always_inline]] void operator()(void* context, std::uint16_t status) {
      const std::uint64_t well = slot_of(context);
      std::memcpy(static_cast<void*>(next), &well, sizeof well);
      if (status != 0) [[unlikely]]
        next->result = engine->failed(slot_of(context), status);
      ++next;
    }
  };

  std::vector<std::unique_ptr<Queue>> queues_;
  std::uint32_t idle_ = 0, looks_ = 0;
};

}  // namespace fathom::engine::userspace
