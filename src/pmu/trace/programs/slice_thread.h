// Attaches and detaches the BPF programs in a run that is traced in slices of time: 50 ms in each half second, at a
// random begin (slice_moments.h), so that no load beats with them. In between they are detached, since an attached
// tracepoint costs every I/O of the machine some 70 ns even if it does nothing. I/Os that begin in a slice are followed
// to their end, regardless of the time (five seconds at most). Those that begin within a millisecond of attaching are
// not selected. A slice continues while the subject reports a low cost: the whole run may be one slice. The subject may
// use other rounds (kOfPairs).
// Thread rule: one thread constructs, begins and ends it; a separate thread calls the subject in between.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.h"
#include "pmu/trace/programs/slice_moments.h"

namespace fathom::pmu::trace::programs {

// The subject that is traced in slices.
class Sliced {
 public:
  virtual ~Sliced() = default;
  virtual Rounds rounds() { return kOfARun; }  // called before each slice but the first
  virtual base::Expected<void> attach() = 0;
  virtual void watch(bool on) = 0;            // whether I/Os that begin now are selected
  virtual bool may_go_on() { return false; }  // called at the regular end of a slice
  virtual bool any_in_flight() = 0;           // of the selected ones
  virtual void give_up() = 0;                 // stops waiting for those that are still in flight
  virtual void detach() = 0;
  virtual void over() {}  // all that began in the slice are over or were given up
};

class SliceThread {
 public:
  SliceThread(Sliced& watched, const char* name);  // name of the thread in tools: 15 letters
  ~SliceThread() { end(); }
  SliceThread(const SliceThread&) = delete;
  void begin();
  // The first slice begins at once: when this returns, new I/Os are selected.
  base::Expected<void> begin_watching();
  void end();
  double watched_s() const { return watched_s_; }      // after end()
  const std::string& cause() const { return cause_; }  // why it stopped early; empty: it did not

 private:
  void start();
  void work();
  bool one_slice();
  bool rest_of_slice();
  void choose();
  bool pause(std::uint64_t ns);  // false: end() was called
  bool wait_for_begun();
  bool wait_for_moment(SliceMoments& moments);

  Sliced& watched_;
  const char* name_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, watching_ = false;
  Rounds rounds_ = kOfARun;
  std::uint64_t from_ns_ = 0;
  double watched_s_ = 0;
  std::string cause_;
};

}  // namespace fathom::pmu::trace::programs
