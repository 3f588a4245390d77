// What a job requested and what it achieved, so that a number is not read as the answer to another question: block
// sizes, mix of directions, depth, coverage, and whether written data ever left memory. (Rates: result::Rate.)
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::result {

// I/Os of one block size, or of a range of sizes, both ends included.
struct SizeShare {
  std::uint64_t low_bytes = 0, high_bytes = 0;
  double asked_percent = 0;  // of the direction's I/Os
  std::uint64_t ios = 0;     // issued in the measured time
  bool operator==(const SizeShare&) const = default;
};

struct Delivery {
  // By direction; empty: all I/Os have one size. other_ios counts I/Os that fit no class.
  std::array<std::vector<SizeShare>, 3> sizes;
  std::array<std::uint64_t, 3> other_ios{};

  std::optional<double> asked_read_percent;  // of a mix of reads and writes without a pace

  std::uint64_t asked_depth = 1;     // iodepth, for all queues of the job together
  bool synchronous = false;          // more was requested, but the engine issues one I/O at a time
  bool depth_held_down = false;      // the job itself limits the depth: rate, thinktime, iodepth_low
  std::optional<double> mean_depth;  // by Little's law: sum of all latencies over the time; nullopt: no latencies
  std::uint64_t depth_samples = 0;   // samples of the queue by the parent
  std::uint64_t full_samples = 0;    // samples with asked_depth I/Os in flight

  std::uint64_t asked_bytes = 0;       // size= or io_size= as written, times loops; 0: no such bound
  std::uint64_t asked_size_bytes = 0;  // size= as written; 0: not given in bytes
  std::uint64_t window_bytes = 0;      // part of its targets that the job could reach
  std::uint64_t done_bytes = 0;        // bytes moved for this, ramp included
  bool work_done = false;              // the job ended because no work was left

  std::uint64_t unsynced_bytes = 0;  // written into the page cache; no operation of the job waits for the device
  std::string direct_ignored;        // direct=1: why the I/O went through memory nevertheless; empty: it did not
  std::uint64_t cached_bytes = 0;    // for that: bytes of its files that entered the page cache during the job
  std::uint64_t copied_bytes = 0;    // or written through the page cache, waiting for the device
  std::uint64_t pre_read_bytes = 0;  // read by pre_read=1, through the page cache, before the job began
  bool operator==(const Delivery&) const = default;
};

}  // namespace fathom::result
