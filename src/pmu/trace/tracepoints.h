// Tracepoints of the block layer, open on every CPU, with one ring per CPU that all of them write to. Opening costs 0.5
// to 10 ms. Closing the last user of a tracepoint waits for every CPU (36 to 47 ms were seen), so the owner closes
// after the report. A tracepoint that is open but switched off costs its callers next to nothing.
// Source: perf_event_open(2).
// Errors: permission, no memory for rings, an unknown field in the filter. Thread rule: one thread.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "pmu/perf_call.h"
#include "pmu/trace/perf_ring.h"

namespace fathom::pmu::trace {

class Tracepoints {
 public:
  // ids: of tracepoints. filter: in the kernel's syntax ("dev == 265289728"), "" for none. Off at first.
  static base::Expected<Tracepoints> open(std::span<const std::uint16_t> ids, const std::string& filter,
                                          const PerfCalls& calls = kernel_calls());
  Tracepoints(Tracepoints&&) noexcept;
  Tracepoints& operator=(Tracepoints&&) noexcept;
  ~Tracepoints();

  void enable();
  void disable();
  // Waits until a ring is a quarter full or timeout_ms have passed. false: a source has gone for good.
  bool wait(int timeout_ms);
  // Reads the contents of all rings, CPU by CPU.
  void read(const std::function<void(const TraceSample&)>& take);
  std::uint64_t lost() const { return lost_; }
  std::size_t ring_bytes() const;  // of all CPUs

 private:
  struct Cpu;
  explicit Tracepoints(const PerfCalls& calls);
  void control_all(unsigned long request);

  const PerfCalls* calls_;
  std::vector<std::unique_ptr<Cpu>> cpus_;
  std::vector<std::byte> scratch_;
  std::uint64_t lost_ = 0;
};

// The kernel's filter for events of these devices (as BlockEvent::dev).
std::string device_filter(std::span<const std::uint32_t> devices);

}  // namespace fathom::pmu::trace
