// io_submit_mode=offload: the job's single stream of requests. It passes one request at a time to the threads that
// perform them (lanes). As in fio, think time and the end of a pass are handled here, not in a lane. A pass ends when
// all its requests have completed.
// A lane that asks for the next request has completed its last one. The lanes' loops use it as an ordinary source
// (LaneSource). Thread rule: any lane, with its own number.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "job/fields/think.h"
#include "job/job.h"
#include "run/gates/claims.h"
#include "workload/source.h"

namespace fathom::run::loop {

class LaneRequests {
 public:
  // All arguments outlive this. new_pass: called before every pass but the first, with nothing in flight.
  LaneRequests(workload::Source& requests, const job::Job& job, std::size_t lanes, std::function<void()> new_pass,
               const std::atomic<std::uint32_t>& stop);
  // The job begins now (CLOCK_MONOTONIC). Pauses end no later than the job's time.
  void begin(std::uint64_t now_ns);
  // False: no request is left.
  bool take(std::size_t lane, io::Request& out);
  // The lane has ended.
  void leave(std::size_t lane);

 private:
  using Lock = std::unique_lock<std::mutex>;
  void is_over(std::size_t lane);
  bool next(io::Request& out);
  enum class NewPass : std::uint8_t { none, own, of_another };
  NewPass begin_pass(Lock& lock);
  bool think_due() const;
  void think(Lock& lock);

  workload::Source& requests_;
  const job::Job& job_;
  const job::fields::Think& think_;
  const std::function<void()> new_pass_;
  const std::atomic<std::uint32_t>& stop_;
  std::mutex mutex_;
  std::condition_variable quiet_;  // no request is in flight, or the awaited work is done
  std::vector<char> busy_;         // by lane
  std::size_t handed_out_ = 0;     // in flight
  std::uint64_t passes_ = 0;
  bool over_ = false;
  std::uint64_t counted_ = 0;  // I/Os since the last pause: issued or completed, depending on the job
  std::uint64_t think_end_ns_ = 0, end_ns_ = ~0ull, shift_ns_ = 0;
  io::Request block_[workload::Source::kBlock];
  std::size_t next_ = 0, made_ = 0;
};

// The source that one lane's loop uses.
class LaneSource final : public workload::Source {
 public:
  LaneSource(LaneRequests& requests, std::size_t lane, gates::ClaimGate& gate)
      : requests_(requests), lane_(lane), gate_(gate) {}
  std::size_t next(std::span<io::Request> out) override {
    gate_.leave();
    return requests_.take(lane_, out[0]) ? 1 : 0;
  }
  bool begin_pass() override { return false; }

 private:
  LaneRequests& requests_;
  std::size_t lane_;
  gates::ClaimGate& gate_;
};

}  // namespace fathom::run::loop
