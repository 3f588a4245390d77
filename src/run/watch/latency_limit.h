// What a job asks of the latency of its single I/Os: parts of the watches (run/watch/watches.h). max_latency ends the job with
// an error; latency_target cuts its time into windows and has the depth searched for (run/watch/depth_search.h).
#pragma once
#include <cstdint>

#include "io/request.h"
#include "job/job.h"
#include "run/records/record.h"
#include "run/watch/depth_search.h"

namespace fathom::run::watch {

struct DoneIo;

// The longest that an I/O of each direction may take.
class LatencyLimit {
 public:
  explicit LatencyLimit(const job::Job& job);
  bool any() const { return any_; }
  // False: it took too long, and the record says so.
  // The first that does not is said; those that come back after it belong to the same end.
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
  std::uint64_t begin_ns_ = 0, ios_ = 0, late_ = 0;  // of the window
};

}  // namespace fathom::run::watch
