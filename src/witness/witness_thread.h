// A separate thread that begins, reads periodically and ends the cross-checks, because each requires a single thread.
// It sleeps nearly always and leaves signals to the main thread. Thread rule: constructed, begun, ended and destroyed
// by the main thread; read the results after end().
#pragma once
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "result/audit.h"

namespace fathom::witness {

inline constexpr std::uint64_t kWitnessTick_ns = 500'000'000;  // between two reads

bool needs_privilege(const base::Error& error);  // the error would not occur for root

class WitnessThread {
 public:
  using Witnesses = std::vector<std::unique_ptr<result::Witness>>;

  WitnessThread() = default;
  ~WitnessThread() { end(); }
  WitnessThread(const WitnessThread&) = delete;

  void begin(Witnesses witnesses);  // returns when all have begun or failed with a cause
  void end();                       // returns when all have ended

  std::vector<result::Count> counts;
  std::vector<result::Finding> findings;
  std::vector<result::Missing> missing;  // those that did not begin
  Witnesses ended;                       // keep until the report is written: closing tracepoints takes long

 private:
  void work();
  void begin_all();
  void end_all();

  Witnesses waiting_, running_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool begun_ = false, stop_ = false;
};

}  // namespace fathom::witness
