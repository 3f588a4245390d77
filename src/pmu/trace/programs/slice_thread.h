// When the kernel's programs are attached, of a run that is watched in slices of time: 50 ms in each half second, begun
// at a drawn moment (slice_moments.h), so that no load beats with them. In between they are detached, for an attached
// point costs every I/O of the machine some 70 ns even where it does nothing. I/Os that begin in a slice are followed to
// their end, however long that takes (five seconds at most); those that begin within a millisecond of attaching are not
// chosen. A slice goes on where what is watched says that it costs little: then the whole run may be one. What is watched
// may ask for other rounds (kOfPairs).
// Thread rule: constructed, begun and ended by one thread; what is watched is called on a thread of its own in between.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.h"
#include "pmu/trace/programs/slice_moments.h"

namespace fathom::pmu::trace::programs {

// What is watched in slices.
class Sliced {
 public:
  virtual ~Sliced() = default;
  virtual Rounds rounds() { return kOfARun; }  // asked before each slice but the first
  virtual base::Expected<void> attach() = 0;
  virtual void watch(bool on) = 0;            // whether what begins now is chosen
  virtual bool may_go_on() { return false; }  // asked when a slice has lasted its time
  virtual bool any_in_flight() = 0;           // of those that were chosen
  virtual void give_up() = 0;                 // those that are in flight still are not waited for
  virtual void detach() = 0;
  virtual void over() {}  // what began in the slice is over or was given up
};

class SliceThread {
 public:
  SliceThread(Sliced& watched, const char* name);  // as tools show the thread: 15 letters
  ~SliceThread() { end(); }
  SliceThread(const SliceThread&) = delete;
  void begin();
  // The first slice begins at once: when this returns, what begins is chosen.
  base::Expected<void> begin_watching();
  void end();
  double watched_s() const { return watched_s_; }      // after end()
  const std::string& cause() const { return cause_; }  // why it stopped before, where it did

 private:
  void start();
  void work();
  bool one_slice();
  bool rest_of_slice();
  void choose();
  bool pause(std::uint64_t ns);  // false: the end has come
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
