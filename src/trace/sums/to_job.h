// A job file with the shape of a trace: a section per process, with its mix, sizes, share of random offsets, depth,
// delay and run time. What a job cannot hold (the order of the I/Os, the places, the bursts) is lost; a replay keeps
// it. Thread rule: one owner.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/depth_meter.h"
#include "trace/event.h"

namespace fathom::trace::sums {

struct JobWish {
  std::string filename = {};       // empty: the names of the trace
  std::uint64_t fewest_ios = 10;   // a process with fewer is left out
  std::uint64_t shortest_ns = 0;   // one that was active for a shorter time is left out
  std::uint64_t most_depth = 256;  // a larger depth is cut
  bool with_rate = false;          // the recorded rate, bytes per second
};

class JobMaker {
 public:
  static constexpr std::size_t kMostTasks = 4096;  // I/Os of further processes are counted as left out

  void add(const Event& event);
  // The job text, with a comment for each process that is left out. Empty: no process is left.
  std::string text(const std::vector<std::string>& files, const JobWish& wish) const;

 private:
  static constexpr std::size_t kDirections = 3, kMostSizes = 1024, kMostFiles = 64;
  struct Task {
    std::array<std::uint64_t, kDirections> ios{}, bytes{}, random{};
    std::array<std::map<std::uint64_t, std::uint64_t>, kDirections> sizes;
    std::array<std::unordered_map<std::uint32_t, std::uint64_t>, kDirections> ends;  // by file
    std::vector<std::uint32_t> files;
    std::uint64_t syncs = 0, first_ns = kNotKnown, last_ns = 0;
    DepthMeter depth;

    std::uint64_t all_ios() const { return ios[0] + ios[1] + ios[2]; }
    std::uint64_t active_ns() const { return last_ns - first_ns; }
  };

  static std::string section(std::uint32_t id, const Task& task, const std::vector<std::string>& files,
                             const JobWish& wish);
  static std::string sizes_of(const Task& task);
  std::map<std::uint32_t, Task> tasks_;
  std::uint64_t further_ios_ = 0;
};

}  // namespace fathom::trace::sums
