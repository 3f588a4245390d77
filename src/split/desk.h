// The latency split of a run, as far as its loops take part: who has which slots and which record. Made before the
// workers start, opened when the files are laid out and the kernel's programs are loaded; a worker asks for its recorder
// when it begins. Thread rule: made, opened and read by the main thread; recorder() by any worker, thread or process,
// after open().
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/system/shared_memory.h"
#include "clock/sources/calibration.h"
#include "split/recorder.h"

namespace fathom::split {

// What is known of a worker when the run is planned.
struct Seat {
  std::uint32_t slots = 0;             // as many as it has I/Os in flight; 0: it takes no part
  std::uint32_t largest_io_bytes = 0;  // of its block sizes
  bool direct = false;                 // direct=1: the page cache answers nothing
  bool commits = false;                // sync=: each write may wait for a commit
  bool followed = false;               // what its task submits is known to be which I/O (io_uring)
  std::vector<PlaceMap> maps = {};     // by target; filled in before open()
};

class Desk {
 public:
  explicit Desk(std::vector<Seat> seats);
  std::vector<Seat>& seats() { return seats_; }
  // What the shared memory must have room for.
  std::uint32_t slots() const { return slots_; }
  std::uint32_t largest_io_bytes() const { return largest_io_bytes_; }
  bool any_by_granule() const;  // once the maps are filled in
  // I/Os are watched from now on, if all of them are to be. clock_offset_ns: what this process's time namespace adds to the kernel's CLOCK_MONOTONIC.
  // in_fork: what a worker that is a process of its own has to let go of, for a program stays attached as long as anybody
  // holds it.
  void open(const Region& region, std::int64_t clock_offset_ns, bool all, std::function<void()> in_fork = {});
  // By each worker before its first I/O, whether it takes part or not.
  void entered();
  // Of I/Os that begin from now on: the slice that they are of, 0: they are not watched. By the one who attaches.
  void watch(std::uint32_t slice) { control_[0].slice.store(slice, std::memory_order_relaxed); }
  // What is still in flight of slices up to this one is nobody's any more; its worker may be dead.
  void give_up(std::uint32_t slice);
  // An I/O that was watched is not over.
  bool any_in_flight() const;
  // Nothing: the worker takes no part, or nothing was opened.
  std::optional<Recorder> recorder(std::size_t worker, const clock::sources::Calibration& calibration);
  const SplitRecord& record(std::size_t worker) const { return records_[worker]; }
  // Of a worker, watched or not, up to now.
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
