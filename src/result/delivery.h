// What a job asked for beside what it delivered, so that a number is not read as the answer to another question:
// block sizes, mix of directions, depth, coverage, and whether what was written ever left memory. (Rates:
// result::Rate.)
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
  // By direction; empty where all I/Os have one size. What fits no class is counted in other_ios.
  std::array<std::vector<SizeShare>, 3> sizes;
  std::array<std::uint64_t, 3> other_ios{};

  std::optional<double> asked_read_percent;  // of a mix of reads and writes that is not paced

  std::uint64_t asked_depth = 1;     // iodepth, of all the job's queues together
  bool synchronous = false;          // more was asked, and the engine has one I/O at a time
  bool depth_held_down = false;      // by the job itself: rate, thinktime, iodepth_low
  std::optional<double> mean_depth;  // by Little's law: latencies of all I/Os over the time; none without latencies
  std::uint64_t depth_samples = 0;   // looks of the parent at the queue
  std::uint64_t full_samples = 0;    // of these: asked_depth I/Os were in flight

  std::uint64_t asked_bytes = 0;       // size= or io_size= as written, times loops; 0: no such bound
  std::uint64_t asked_size_bytes = 0;  // size= as written; 0: not in bytes
  std::uint64_t window_bytes = 0;      // what the job could reach of its targets
  std::uint64_t done_bytes = 0;        // moved for it, ramp included
  bool work_done = false;              // it ended because nothing was left to do

  std::uint64_t unsynced_bytes = 0;  // written into the page cache, and nothing in the job waits for the device
  std::string direct_ignored;        // direct=1, and why the I/O went through memory all the same; empty: it did not
  std::uint64_t cached_bytes = 0;    // of that: pages of its files that came into the page cache while the job ran
  std::uint64_t pre_read_bytes = 0;  // by pre_read=1, through the page cache, before the job began
  bool operator==(const Delivery&) const = default;
};

}  // namespace fathom::result
