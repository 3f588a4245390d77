// The loops' side of a run's latency breakdown: assigns slots and a record to each worker. It is made before the
// workers start, and opened when the files are laid out and the BPF programs are loaded. A worker requests its recorder
// when it begins.
// Thread rule: the main thread makes, opens and reads it; any worker, thread or process, calls recorder() after open().
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/system/shared_memory.h"
#include "clock/sources/calibration.h"
#include "split/recorder.h"

namespace fathom::split {

// The properties of a worker that are known when the run is planned.
struct Seat {
  std::uint32_t slots = 0;             // as many as it has I/Os in flight; 0: it takes no part
  std::uint32_t largest_io_bytes = 0;  // the largest of its block sizes
  bool direct = false;                 // direct=1: no reads from the page cache
  bool commits = false;                // sync=: each write may wait for a commit
  bool followed = false;               // it is known which I/O its task submits (io_uring)
  std::vector<PlaceMap> maps = {};     // by target; filled in before open()
};

class Desk {
 public:
  explicit Desk(std::vector<Seat> seats);
  std::vector<Seat>& seats() { return seats_; }
  // Totals that the shared memory must have room for.
  std::uint32_t slots() const { return slots_; }
  std::uint32_t largest_io_bytes() const { return largest_io_bytes_; }
  bool any_by_granule() const;  // valid once the maps are filled in
  // Tracing starts now if `all`. clock_offset_ns: what this process's time namespace adds to the kernel's
  // CLOCK_MONOTONIC. in_fork: releases the programs that a worker process inherited. A program stays attached while any
  // process has it open.
  void open(const Region& region, std::int64_t clock_offset_ns, bool all, std::function<void()> in_fork = {});
  // Each worker calls this before its first I/O, whether it takes part or not.
  void entered();
  // Sets the slice of I/Os that begin from now on; 0: they are not traced. For the thread that attaches the programs.
  void watch(std::uint32_t slice) { control_[0].slice.store(slice, std::memory_order_relaxed); }
  // Drops the I/Os that are still in flight in slices up to this one. Their worker may be dead.
  void give_up(std::uint32_t slice);
  // True if a traced I/O is not over.
  bool any_in_flight() const;
  // nullopt: the worker takes no part, or open() was not called.
  std::optional<Recorder> recorder(std::size_t worker, const clock::sources::Calibration& calibration);
  const SplitRecord& record(std::size_t worker) const { return records_[worker]; }
  // The number of a worker's I/Os up to now, traced or not.
  std::uint64_t ios(std::size_t worker) const;

 private:
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> first_slots_;
  std::uint32_t slots_ = 0, largest_io_bytes_ = 0, taking_part_ = 0;
  base::system::SharedArray<SplitRecord> records_;
  base::system::SharedArray<Control> control_{1};
  std::optional<Region> region_;
  std::int64_t clock_offset_ns_ = 0;
  std::function<void()> in_fork_;
  int opener_ = 0;  // process
};

}  // namespace fathom::split
