// When the kernel's programs are attached, of a run that is watched in slices (--breakdown=slices): 50 ms in
// each half second, begun at a drawn moment, so that no load beats with them. In between they are detached, for
// an attached point costs every I/O of the machine some 70 ns even where it does nothing. I/Os that begin in a slice are
// followed to their end, however long that takes (five seconds at most); those that begin within a millisecond of attaching
// are not chosen.
//
// --breakdown=auto: everything is watched from the first I/O on, and how long the programs run is measured, as long as
// watching takes no more than 3 % of the fastest loop's time; from there on slices. It is looked at again and again, for
// a job may begin late, or be slow at first. Thread rule: constructed, begun and ended by the main thread; attaching and `on_slice` are on a thread
// of its own in between.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "pmu/trace/programs/split_programs.h"
#include "split/desk.h"

namespace fathom::witness {

class SliceDriver {
 public:
  // on_slice: after each, when what began in it is over or was given up. chooses: all is watched as long as it is cheap;
  // the programs are attached then, else they are not.
  SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk, std::function<void()> on_slice,
              bool chooses);
  ~SliceDriver() { end(); }
  SliceDriver(const SliceDriver&) = delete;
  void begin();
  void end();
  double watched_s() const { return watched_s_; }      // after end()
  bool watched_all() const { return watches_all_; }    // after end()
  const std::string& cause() const { return cause_; }  // why it stopped before, where it did

 private:
  void work();
  bool one_slice();
  bool while_cheap();
  void end_slice(std::uint64_t from_ns);
  double share_of_time();
  bool pause(std::uint64_t ns);  // false: the end has come
  bool wait_for_begun();

  pmu::trace::programs::SplitPrograms& programs_;
  split::Desk& desk_;
  std::function<void()> on_slice_;
  base::Prng prng_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::uint32_t slice_ = 0;
  double watched_s_ = 0;
  bool watches_all_ = false;
  struct Look {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> ios;  // by worker
    pmu::trace::bpf::RunTime run_time;
  };
  std::deque<Look> looks_;
  std::string cause_;
};

}  // namespace fathom::witness
