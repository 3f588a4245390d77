// The stamps of single I/Os for output (--debug=io): one ring per worker, in memory shared with the parent. The rings
// are created before the workers start. A job without one keeps the plain loop. The pages of a ring are touched when it
// fills for the first time.
#pragma once
#include <cstddef>

#include "base/spsc_ring.h"
#include "base/system/shared_memory.h"
#include "result/io_stamp.h"

namespace fathom::run::records {

using StampWriter = base::RingWriter<result::IoStamp>;
using StampReader = base::RingReader<result::IoStamp>;

class StampLogs {
 public:
  explicit StampLogs(std::size_t workers)
      : slots_each_(slots_of(workers)), ends_(workers), slots_(workers * slots_each_) {}
  StampWriter writer(std::size_t worker) { return {ends_[worker], slots(worker)}; }
  StampReader reader(std::size_t worker) { return {ends_[worker], slots(worker)}; }
  std::size_t slots_each() const { return slots_each_; }

 private:
  // 65,536 stamps are 65 ms at a million I/Os per second. All rings together take no more than 64 MiB.
  static constexpr std::size_t kMost = 1 << 16, kLeast = 1 << 10, kTogether = 1 << 21;
  static std::size_t slots_of(std::size_t workers) {
    std::size_t slots = kMost;
    while (slots > kLeast && slots * workers > kTogether) slots /= 2;
    return slots;
  }
  std::span<result::IoStamp> slots(std::size_t worker) { return {&slots_[worker * slots_each_], slots_each_}; }

  std::size_t slots_each_;
  base::system::SharedArray<base::RingEnds> ends_;
  base::system::SharedArray<result::IoStamp> slots_;
};

}  // namespace fathom::run::records
