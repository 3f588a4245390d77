// When the kernel's programs are attached, of a run that is watched in slices (--breakdown=slices): 50 ms in
// each half second, begun at a drawn moment, so that no load beats with them. In between they are detached, for
// an attached point costs every I/O of the machine some 70 ns even where it does nothing. I/Os that begin in a slice are
// followed to their end, however long that takes (five seconds at most); those that begin within a millisecond of attaching
// are not chosen. Whoever sums is told each moment of a round. Thread rule: constructed, begun and ended by the main
// thread; attaching and `on_moment` are on a thread of its own in between.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/prng.h"
#include "pmu/trace/programs/split_programs.h"
#include "split/desk.h"
#include "split/sums/watching_cost.h"

namespace fathom::witness {

class SliceDriver {
 public:
  using Moment = split::sums::SliceMoment;
  // `over` is when what began in the slice is over or was given up. There is no `watched_to` of one that the end cut short.
  SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk, std::function<void(Moment)> on_moment);
  ~SliceDriver() { end(); }
  SliceDriver(const SliceDriver&) = delete;
  void begin();
  void end();
  double watched_s() const { return watched_s_; }      // after end()
  const std::string& cause() const { return cause_; }  // why it stopped before, where it did

 private:
  void work();
  bool one_slice();
  bool pause(std::uint64_t ns);  // false: the end has come
  bool wait_for_begun();

  pmu::trace::programs::SplitPrograms& programs_;
  split::Desk& desk_;
  std::function<void(Moment)> on_moment_;
  base::Prng prng_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::uint32_t slice_ = 0;
  double watched_s_ = 0;
  std::string cause_;
};

}  // namespace fathom::witness
