// A queue pair's memory and everything that happens beside its I/O path: rings, trackers, the requests that wait for a
// slot, splitting by MDTS, PRP lists, completing in error. The path itself is queue_pair.h.
//
// Who may be in flight: one command fewer than the ring has slots. A completion says that its command was fetched, so a
// free CID implies a free slot and nobody has to follow the controller's SQ head.
//
// Thread rule: one owner thread, which also calls the callbacks' code (from poll() and abort_all()). No lock, and no
// allocation after make().
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
  std::uint32_t entries = 256;   // of the submission ring, a power of two; one fewer can be in flight
  std::uint32_t in_flight = 0;   // most commands given to the device at once; 0: entries - 1
  std::uint32_t requests = 512;  // commands that can wait beyond that, the parts of split ones included
  std::uint32_t splits = 64;     // split commands at once
  bool trackers_4k_apart = false;
  std::uint32_t completion_entry_bytes =
      16;  // that the owner's policy reads: the controller must have been opened with it
};

// What the controller allows, as its bring-up found it.
struct QueueLimits {
  std::uint32_t doorbell_stride_bytes = 4;
  std::uint32_t transfer_bytes_max = 128 * 1024;  // MDTS; what is longer is split
  std::uint32_t completion_entry_bytes = 16;
};

struct QueueCounts {
  std::uint64_t commands = 0, completions = 0;  // given to the device; come back from it
  std::uint64_t sq_doorbells = 0, cq_doorbells = 0;
  std::uint64_t polls = 0, idle_polls = 0;  // looks at the completion ring; those that found nothing
  std::uint64_t waited = 0;                 // commands that waited for a slot
  std::uint64_t split = 0;                  // commands cut into parts
  std::uint64_t unexpected = 0;             // completions of a CID that was not in flight
  std::uint64_t timeouts = 0, aborted = 0;
};

// Status code 07h (abort requested) and 08h (SQ deletion), generic type: what commands end with that the device never
// finished.
inline constexpr std::uint16_t kStatusAborted = 0x07;
inline constexpr std::uint16_t kStatusQueueDeleted = 0x08;

class QueueCore {
 public:
  QueueCore();
  QueueCore(const QueueCore&) = delete;
  QueueCore& operator=(const QueueCore&) = delete;
  ~QueueCore();

  // Allocates rings, trackers and lists. The transport outlives the queue pair. Called by the Controller, which then
  // tells the device (Controller::open_queue).
  base::Expected<void> make(Transport& transport, std::uint16_t qid, const QueueOptions& options,
                            const QueueLimits& limits);
  void release();
  // Empty rings again, as after a reset; nothing may be in flight.
  void rewind();

  // Any command. iova, bytes: its data (0: none); PRPs are made from them. What exceeds the transfer limit is split
  // (reads, writes), what finds no slot waits. 0, or -ENOMEM (nothing taken: poll, then again), -ENXIO (queue is dead),
  // -EINVAL (too long and not splittable).
  int submit(const Command& command, std::uint64_t iova, std::uint32_t bytes, std::uint32_t block_bytes,
             Callback callback, void* context);
  // Dataset management, one range.
  int deallocate(std::uint32_t nsid, std::uint64_t lba, std::uint32_t blocks, Callback callback, void* context);

  // Commands whose callback is nullptr belong to the owner: what it is told when one does not end in its poll().
  using OwnerCallback = void (*)(void* owner, void* context, std::uint16_t status);
  void set_owner(OwnerCallback callback, void* owner) {
    owner_callback_ = callback;
    owner_ = owner;
  }

  // Ends everything in flight and waiting with `status`, each exactly once. The device must not be able to complete
  // them any more.
  void abort_all(std::uint16_t status);
  // From now on submit() returns -ENXIO.
  void kill();
  bool dead() const { return dead_; }
  void revive();
  // One check for timeouts: the CIDs that were in flight at `checks` calls in a row, or -1 when there is none. The
  // owner makes the calls at its own interval; there is no clock here and no work per command.
  int overdue(std::uint32_t checks);

  std::uint32_t in_flight() const { return in_flight_max_ - free_count_; }
  std::uint32_t in_flight_max() const { return in_flight_max_; }
  std::uint32_t waiting() const { return waiting_count_; }
  QueueCounts counts() const;
  void clear_counts();

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

  // What submission touches.
  alignas(64) Command* sq_ = nullptr;
  std::byte* trackers_ = nullptr;
  std::uint16_t* free_ = nullptr;  // CIDs not in flight, the last one used first: its tracker is in the cache
  volatile std::uint32_t* sq_doorbell_ = nullptr;
  std::uint64_t sq_tail_ = 0, sq_rung_ = 0;  // commands since make(); those that the doorbell has announced
  std::uint32_t sq_mask_ = 0;
  std::uint32_t free_count_ = 0;
  std::uint32_t reserved_ = 0;    // no submission on the path while free_count_ <= reserved_: all, when somebody waits
  std::uint32_t cost_ticks_ = 0;  // a model of what a doorbell write costs (Transport::doorbell_cost_ns)

  // What completion touches.
  alignas(64) std::byte* cq_ = nullptr;
  volatile std::uint32_t* cq_doorbell_ = nullptr;
  std::uint64_t cq_head_ = 0, cq_rung_ = 0;   // entries since make(); those given back to the device
  std::uint32_t cq_mask_ = 0, cq_shift_ = 0;  // entries less one; log2 of the entries
  std::uint32_t in_flight_max_ = 0;
  std::uint32_t tracker_mask_ =
      0;  // trackers there are, less one: a power of two, those past in_flight_max_ never used
  std::uint32_t waiting_count_ = 0;
  std::uint64_t polls_ = 0, sq_doorbells_ = 0;

  // Once a poll at most.
  alignas(64) std::uint64_t cq_doorbells_ = 0, idle_polls_ = 0;
  QueueCounts rare_, cleared_;
  std::uint32_t tracker_stride_ = sizeof(Tracker);
  bool dead_ = false;

  // Set-up, waiting and splitting.
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
  // Which line holds what, for the test that counts lines.
  struct Layout {
    std::size_t submit_line, complete_line, free_count;
  };
  static Layout layout();
};

}  // namespace fathom::nvme
