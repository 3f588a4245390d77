// Witnesses on a thread of their own: begun, looked at now and then, and ended there, as their rule asks for one thread,
// which sleeps nearly always and leaves signals to the main thread. Thread rule: constructed, begun, ended and
// destroyed by the main thread; what it found is read after end().
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

inline constexpr std::uint64_t kWitnessTick_ns = 500'000'000;  // between two looks

bool needs_privilege(const base::Error& error);  // root would not have had it

class WitnessThread {
 public:
  using Witnesses = std::vector<std::unique_ptr<result::Witness>>;

  WitnessThread() = default;
  ~WitnessThread() { end(); }
  WitnessThread(const WitnessThread&) = delete;

  void begin(Witnesses witnesses);  // returns when all have begun, or have said why they cannot
  void end();                       // returns when all have ended

  std::vector<result::Count> counts;
  std::vector<result::Finding> findings;
  std::vector<result::Missing> missing;  // that did not begin
  Witnesses ended;                       // to be kept until the report is written: closing tracepoints takes long

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
