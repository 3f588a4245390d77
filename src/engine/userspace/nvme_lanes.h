// The nvme engine outside its I/O path, for any policy: it opens controllers and queue pairs, and handles commands
// other than reads and writes, commands that failed before submission, and an unresponsive device.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/userspace/nvme_devices.h"
#include "engine/userspace/queue_counts.h"
#include "nvme/controller.h"
#include "nvme/interval.h"
#include "nvme/queue_core.h"

namespace fathom::engine::userspace {

class NvmeLanes {
 public:
  std::vector<std::string> fallbacks() const { return fallbacks_; }
  // Description of the device's status for the last I/O of a slot, in the terms of the specification.
  std::string explain(std::uint32_t slot) const;
  void clear_counts();
  QueueCounts counts() const;

 protected:
  // The data of a target that a post needs: one cache line.
  struct alignas(64) Lane {
    nvme::QueueCore* queue = nullptr;
    std::uint64_t iova_delta = 0;     // a buffer's IOVA minus its address
    std::uint64_t head[2] = {};       // of a read's and a write's command, without the CID
    std::uint32_t flags[2] = {0, 0};  // CDW12 of reads and writes: FUA
    std::uint32_t nsid = 1;
    std::uint8_t block_shift = 9;
    bool deallocates = false;
  };
  static_assert(sizeof(Lane) == 64);

  // Memory requirements of the queue pairs' policy.
  struct Shape {
    bool apart = false;
    std::uint32_t entry_bytes = 16;
  };
  base::Expected<void> open_lanes(const Setup& setup, const std::vector<nvme::QueueCore*>& queues, const Shape& shape);
  void close_lanes();

  [[gnu::always_inline]] static void* context(std::uint32_t slot) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): not dereferenced, the driver only returns it
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(slot));
  }
  [[gnu::always_inline]] static std::uint32_t slot_of(void* context) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(context));
  }

  [[gnu::noinline, gnu::cold]] void post_rare(std::uint32_t slot, const io::Request& request);
  [[gnu::noinline, gnu::cold]] void refuse(std::uint32_t slot, std::uint16_t target, int rc);
  [[gnu::noinline, gnu::cold]] unsigned take_late(std::span<io::Completion> out);
  // Returns the -errno of a failed command, and stores its status for explain().
  [[gnu::noinline, gnu::cold]] int failed(std::uint32_t slot, std::uint16_t status);
  [[gnu::always_inline]] void step_device() {
    for (auto* transport : stepped_) transport->idle();
  }
  // After a time without completions: checks whether the device is present, and whether a command is overdue.
  void rest();

  std::unique_ptr<Lane[]> lanes_;
  bool single_ = true;
  std::uint32_t late_count_ = 0;
  std::uint32_t sq_copy_ = 0;

 private:
  struct Opened {
    std::shared_ptr<NvmeDevice> device;
    nvme::QueueCore* queue = nullptr;
    std::vector<std::unique_ptr<nvme::QueueCore>> unused;  // nvme_unused_queues: on the controller, without I/O
    bool mapped = false;                                   // the buffers, for the first lane of a controller
    int aborting = -1;  // CID that was overdue at the last check, with an abort requested
    int ending = 0;     // errno for its commands after the controller has ended
  };
  static void ended_beside(void* owner, void* context, std::uint16_t status);
  base::Expected<void> open_lane(const Setup& setup, std::size_t index, nvme::QueueCore& queue, const Shape& shape);
  static base::Expected<void> open_unused(Opened& opened, std::uint32_t number, const nvme::QueueOptions& options);
  base::Expected<std::uint64_t> map_buffers(NvmeDevice& device, Opened& opened);
  void note(const std::string& text);
  void look_after(std::size_t lane);
  void check_overdue(std::size_t lane);
  void give_up(std::size_t lane, int err);
  void add_late(std::uint32_t slot, int result);

  std::vector<Opened> opened_;
  std::vector<nvme::Transport*> stepped_;
  struct Why {
    std::uint16_t status = 0;  // of the completion
    std::int16_t ending = 0;   // errno; used without a completion
  };
  std::unique_ptr<Why[]> why_;              // by slot, for failed I/Os
  std::unique_ptr<io::Completion[]> late_;  // `depth` entries: I/Os that did not end in poll()
  nvme::HostMemory buffers_;
  std::uint64_t timeout_ns_ = 0;
  nvme::Interval look_, check_;
  int ending_ = 0;  // set while a lane ends
  std::vector<std::string> fallbacks_;
};

}  // namespace fathom::engine::userspace
