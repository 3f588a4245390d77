// The source of a replay: a thread reads the trace ahead into a ring of requests, and the job's loop takes them from
// there. So the measured path neither reads a file nor allocates, and the memory does not depend on the trace.
// If the ring is empty, the loop waits and counts that. A thread that waits for a pipe cannot be ended: it is left
// behind, and keeps the object. Thread rule: all calls: the worker's.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/spsc_ring.h"
#include "run/records/replay_record.h"
#include "run/replay/closed_loop.h"
#include "run/replay/trace_facts.h"
#include "workload/source.h"

namespace fathom::run::replay {

class Feed;
// Ends the reading when the job leaves early.
struct EndsFeed {
  void operator()(std::shared_ptr<Feed>* feed) const;
};
using FeedHandle = std::unique_ptr<std::shared_ptr<Feed>, EndsFeed>;

class Feed final : public workload::Source {
 public:
  struct Setup {
    workload::ReplayRequests requests;
    records::ReplayRecord* record = nullptr;
    const std::atomic<std::uint32_t>* stop = nullptr;
    std::uint64_t runtime_ns = 0;  // of the job; 0: no limit
    ClosedLoop* closed = nullptr;  // replay_loop=closed
    bool one_at_a_time = false;    // the loop takes a request when the one before has ended
  };
  // Of a stream, takes its reader from `trace`. Starts the thread, and returns when the ring is full, the trace has
  // ended, or a stream has had time to fill it.
  static base::Expected<FeedHandle> start(Trace& trace, const job::Job& job, Setup setup);
  Feed(const Feed&) = delete;

  // Waits while the ring is empty and the trace goes on; 0: the trace, the job's time or the job has ended.
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return false; }
  // The runtime counts from now on.
  void job_begins();
  // Ends the thread, and completes the record. Returns what was wrong with the trace. Further calls do nothing more.
  base::Expected<void> end();

 private:
  // 65,536 requests of 24 bytes: 1.3 s at 50,000 I/Os per second.
  static constexpr std::size_t kSlots = 1 << 16;

  Feed(std::unique_ptr<trace::Reader> reader, std::vector<trace::Event> ahead, Setup setup);
  void read();
  bool put(const trace::Event& event);
  bool push_hold(const trace::Event& event, std::uint32_t requests);
  template <class T>
  bool push_into(base::RingWriter<T>& ring, const T& value);
  bool must_end() const;
  void complete_record();

  std::unique_ptr<trace::Reader> reader_;
  std::vector<trace::Event> ahead_;
  Setup setup_;
  std::vector<io::Request> slots_;
  base::RingEnds ends_{};
  base::RingWriter<io::Request> writer_;
  base::RingReader<io::Request> taker_;
  // Of a closed loop: a hold for each request, and the numbers of those that it waits for. These rings are longer than
  // that of the requests: they never fill first.
  RecordedEnds recorded_ends_;
  std::vector<Hold> holds_;
  base::RingEnds hold_ends_{};
  base::RingWriter<Hold> hold_writer_;
  base::RingReader<Hold> hold_taker_;
  std::vector<std::uint64_t> numbers_;
  base::RingEnds number_ends_{};
  base::RingWriter<std::uint64_t> number_writer_;
  base::RingReader<std::uint64_t> number_taker_;
  std::atomic<bool> ended_ = false, over_ = false;
  std::uint64_t records_ = 0, end_ns_ = ~std::uint64_t{0};
  bool begun_ = false;
  std::optional<base::Error> error_;
  std::thread thread_;
};

}  // namespace fathom::run::replay
