// Latency limits for the single I/Os of a job: parts of Watches (run/watch/watches.h). max_latency ends the job with an
// error. latency_target divides the job's time into windows and searches for a depth (run/watch/depth_search.h).
#pragma once
#include <cstdint>

#include "io/request.h"
#include "job/job.h"
#include "run/records/record.h"
#include "run/watch/depth_search.h"

namespace fathom::run::watch {

struct DoneIo;

// The maximum latency of an I/O, by direction.
class LatencyLimit {
 public:
  explicit LatencyLimit(const job::Job& job);
  bool any() const { return any_; }
  // False: the I/O took too long. Only the first such I/O is recorded; later ones belong to the same end.
  bool keeps(const DoneIo& io, records::WorkerRecord& record);

 private:
  std::uint64_t limit_ns_[io::kDataDirs];
  bool any_, exceeded_ = false;
};

class LatencySearch {
 public:
  using Next = DepthSearch::Next;

  explicit LatencySearch(const job::Job& job);
  bool any() const { return target_ns_ != 0; }
  std::uint32_t depth() const { return search_.depth(); }
  void measuring_begins() { begin_ns_ = ios_ = late_ = 0; }
  Next done(const DoneIo& io, records::WorkerRecord& record);

 private:
  Next judge(const DoneIo& io);

  std::uint64_t target_ns_, window_ns_;
  DepthSearch search_;
  std::uint64_t begin_ns_ = 0, ios_ = 0, late_ = 0;  // of the current window
};

}  // namespace fathom::run::watch
