// The memory of a queue pair, and everything outside its I/O path.
// This covers rings, trackers, requests that wait for a slot, splits by MDTS, PRP lists and completion with an error.
// The I/O path is queue_pair.h.
//
// The maximum in flight is one command fewer than the ring has slots.
// A completion implies that the controller has fetched its command, so a free CID implies a free slot.
// The driver therefore need not track the controller's SQ head.
//
// Thread rule: one owner thread at a time. Callbacks run on the thread that calls poll() or abort_all().
// Controller::reset(), fail_all(), close_queue() and shutdown() also call abort_all().
// There is no lock, and no allocation after make().
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "nvme/command.h"
#include "nvme/tracker.h"
#include "nvme/transport.h"

namespace fathom::nvme {

struct QueueOptions {
  // Of both rings, a power of two of at least 2; at most entries - 1 commands are in flight.
  std::uint32_t entries = 256;
  // Maximum number of commands on the device; 0, or more than entries - 1: entries - 1.
  std::uint32_t in_flight = 0;
  // Commands that can wait beyond that, including the parts of split ones.
  std::uint32_t requests = 512;
  // Maximum number of split commands at a time.
  std::uint32_t splits = 64;
  // Must equal Policy::trackers_4k_apart.
  bool trackers_4k_apart = false;
  // Entry size that the owner's policy reads, in bytes. ControllerOptions must have the same value.
  std::uint32_t completion_entry_bytes = 16;
};

// The controller's limits, as its bring-up found them.
struct QueueLimits {
  std::uint32_t doorbell_stride_bytes = 4;
  // MDTS in bytes; the driver splits longer reads and writes.
  std::uint32_t transfer_bytes_max = 128 * 1024;
  std::uint32_t completion_entry_bytes = 16;
};

// Counters since construction or clear_counts().
struct QueueCounts {
  std::uint64_t commands = 0, completions = 0;  // submitted to the device; completed by it
  std::uint64_t sq_doorbells = 0, cq_doorbells = 0;
  std::uint64_t polls = 0, idle_polls = 0;  // polls of the completion ring; those that found nothing
  std::uint64_t waited = 0;                 // commands that waited for a slot
  std::uint64_t split = 0;                  // commands split into parts
  // Completions with a CID that was not in flight. A duplicate counts too, if it is the next entry of an idle queue.
  std::uint64_t unexpected = 0;
  // Calls of overdue() that found a command; commands that abort_all() ended.
  std::uint64_t timeouts = 0, aborted = 0;
};

// Final status of a command that the device never completed: generic command status, without the phase bit.
// 07h: Command Abort Requested. 08h: Command Aborted due to SQ Deletion.
inline constexpr std::uint16_t kStatusAborted = 0x07;
inline constexpr std::uint16_t kStatusQueueDeleted = 0x08;

class QueueCore {
 public:
  QueueCore();
  QueueCore(const QueueCore&) = delete;
  QueueCore& operator=(const QueueCore&) = delete;
  ~QueueCore();

  // Allocates rings, trackers and lists. Controller::open_queue() calls it, then creates the queue on the device.
  // options.entries must be a power of two of at least 2. Errors: those of Transport::allocate().
  // The transport must remain valid until release().
  base::Expected<void> make(Transport& transport, std::uint16_t qid, const QueueOptions& options,
                            const QueueLimits& limits);
  // Frees the device memory. The queue is dead afterwards, and poll() and ring() have no effect.
  // Commands must have ended before: abort_all().
  void release();
  // Empties the rings, as after a reset. No command may be in flight or waiting.
  void rewind();

  // Submits any command. The command reaches the device with the next ring().
  // iova, bytes: device address and length of its data (bytes 0: no data). The driver builds the PRPs from these.
  // block_bytes: block size, needed only for a split. callback: see tracker.h; nullptr: the owner's (set_owner()).
  // The driver splits a read or write above the transfer limit. A command without a free slot waits.
  // Returns 0, or an error, after which no part of the command is taken:
  //   -ENOMEM  no room for waiting or split commands: poll(), then try again
  //   -ENXIO   the queue is dead
  //   -EINVAL  above the transfer limit and not splittable
  // Not splittable: an admin command, not a read or write, block_bytes 0 or above the limit.
  int submit(const Command& command, std::uint64_t iova, std::uint32_t bytes, std::uint32_t block_bytes,
             Callback callback, void* context);
  // Dataset management, deallocate, with one range. `lba` and `blocks` count logical blocks.
  // Returns 0, -ENOMEM or -ENXIO, as submit() does.
  int deallocate(std::uint32_t nsid, std::uint64_t lba, std::uint32_t blocks, Callback callback, void* context);

  // Sets the owner's callback, for commands with a nullptr callback.
  // It is called for such a command that does not end in the owner's poll(): one ended by abort_all(), or a split one.
  // `status` has no phase bit.
  using OwnerCallback = void (*)(void* owner, void* context, std::uint16_t status);
  void set_owner(OwnerCallback callback, void* owner) {
    owner_callback_ = callback;
    owner_ = owner;
  }

  // Ends every command in flight or waiting with `status` (no phase bit), each exactly once.
  // The device must no longer be able to complete them. submit() returns -ENXIO in a callback of this call.
  void abort_all(std::uint16_t status);
  // After kill(), submit() returns -ENXIO. revive() ends this state.
  void kill();
  bool dead() const { return dead_; }
  void revive();
  // One check for timeouts.
  // Returns the CID of a command that was in flight in the last `checks` calls; -1: no such command.
  // The owner calls this at an interval of its choice. The function reads no clock, and adds no work per command.
  int overdue(std::uint32_t checks);

  // In flight on the device, and the maximum; commands that wait for a slot.
  std::uint32_t in_flight() const { return in_flight_max_ - free_count_; }
  std::uint32_t in_flight_max() const { return in_flight_max_; }
  std::uint32_t waiting() const { return waiting_count_; }
  QueueCounts counts() const;
  // Sets all counters to 0.
  void clear_counts();

  // Queue identifier, ring sizes in entries, device addresses of the rings.
  std::uint16_t qid() const { return qid_; }
  std::uint32_t entries() const { return sq_mask_ + 1; }
  std::uint32_t cq_entries() const { return cq_mask_ + 1; }
  std::uint64_t sq_iova() const { return sq_memory_.iova; }
  std::uint64_t cq_iova() const { return cq_memory_.iova; }
  Transport& transport() const { return *transport_; }

 protected:
  struct Waiting;
  struct Split;

  [[gnu::noinline]] int submit_slowly(const Command& command, std::uint64_t iova, std::uint32_t bytes,
                                      std::uint32_t block_bytes, Callback callback, void* context);
  [[gnu::noinline, gnu::cold]] void unexpected_completion(std::uint64_t entry);
  [[gnu::noinline]] void spin_for_doorbell() const;
  [[gnu::noinline]] void submit_waiting();
  static void split_part_done(void* context, const Completion& completion);

  int enqueue(const Command& command, std::uint64_t iova, std::uint32_t bytes, Callback callback, void* context);
  int split(const Command& command, std::uint64_t iova, std::uint32_t bytes, std::uint32_t block_bytes,
            Callback callback, void* context);
  void place(const Command& wanted, std::uint64_t iova, std::uint32_t bytes, Callback callback, void* context);
  void make_prps(Command& command, std::uint16_t cid, std::uint64_t iova, std::uint32_t bytes);
  void place_range(Command& command, std::uint16_t cid);
  void drop_first_waiting();
  void finish(Callback callback, void* context, const Completion& completion);
  void gate();
  Tracker& tracker(std::uint32_t cid) const {
    return *reinterpret_cast<Tracker*>(trackers_ + static_cast<std::size_t>(cid) * tracker_stride_);
  }

  // Data that submission accesses.
  alignas(64) Command* sq_ = nullptr;
  std::byte* trackers_ = nullptr;
  // CIDs not in flight. The driver reuses the latest first, since its tracker is in the cache.
  std::uint16_t* free_ = nullptr;
  volatile std::uint32_t* sq_doorbell_ = nullptr;
  // Commands since make() or rewind(), and those that the doorbell has announced.
  std::uint64_t sq_tail_ = 0, sq_rung_ = 0;
  std::uint32_t sq_mask_ = 0;
  std::uint32_t free_count_ = 0;
  // The I/O path submits only while free_count_ > reserved_. If a command waits, reserved_ blocks the path.
  std::uint32_t reserved_ = 0;
  // Modeled cost of a doorbell write (Transport::doorbell_cost_ns).
  std::uint32_t cost_ticks_ = 0;

  // Data that completion accesses.
  alignas(64) std::byte* cq_ = nullptr;
  volatile std::uint32_t* cq_doorbell_ = nullptr;
  // Entries since make() or rewind(), and those returned to the device.
  std::uint64_t cq_head_ = 0, cq_rung_ = 0;
  // Entries minus one, and log2 of the entries.
  std::uint32_t cq_mask_ = 0, cq_shift_ = 0;
  std::uint32_t in_flight_max_ = 0;
  // Trackers minus one. Their number is a power of two; those past in_flight_max_ are never used.
  std::uint32_t tracker_mask_ = 0;
  std::uint32_t waiting_count_ = 0;
  std::uint64_t polls_ = 0, sq_doorbells_ = 0;

  // Accessed at most once per poll.
  alignas(64) std::uint64_t cq_doorbells_ = 0, idle_polls_ = 0;
  QueueCounts rare_, cleared_;
  std::uint32_t tracker_stride_ = sizeof(Tracker);
  bool dead_ = false;

  // Setup, waiting and splitting.
  Transport* transport_ = nullptr;
  std::uint16_t qid_ = 0;
  QueueLimits limits_;
  DmaMemory sq_memory_, cq_memory_, list_memory_;
  std::uint32_t list_stride_ = 0;
  std::unique_ptr<std::uint16_t[]> free_memory_;
  struct AlignedDelete {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte[], AlignedDelete> tracker_memory_, request_memory_;
  std::unique_ptr<Waiting[]> waiting_memory_;
  Waiting *waiting_first_ = nullptr, *waiting_last_ = nullptr, *waiting_free_ = nullptr;
  std::unique_ptr<Split[]> split_memory_;
  Split* split_free_ = nullptr;
  OwnerCallback owner_callback_ = nullptr;
  void* owner_ = nullptr;

 public:
  // Which cache line contains which data, for the test that counts lines.
  struct Layout {
    std::size_t submit_line, complete_line, free_count;
  };
  static Layout layout();
};

}  // namespace fathom::nvme
