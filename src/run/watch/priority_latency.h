// cmdprio_*: a job's latencies by the priority of the I/O, a part of Watches (watches.h). It records clat, or lat if
// the job reports percentiles of lat, as in fio. It records nothing for a job that does not measure that latency, or
// has no such priorities. Thread rule: the worker's thread.
#pragma once
#include "io/cmdprio.h"
#include "job/job.h"
#include "run/records/record.h"

namespace fathom::run::watch {

class PriorityLatency {
 public:
  PriorityLatency(const job::Job& job, records::WorkerRecord& record)
      : used_(job.engine.of<io::CmdprioOptions>().used() && measured(job)),
        of_lat_(job.lat_percentiles),
        records_(record.priorities) {
    record.by_priority = used_;
  }

  bool used() const { return used_; }
  void done(const io::Request& request, std::uint64_t clat_ns, std::uint64_t lat_ns) {
    if (request.dir > io::Dir::write) return;
    auto& record = records_[io::index(request.dir)][request.flags >> io::kPriorityShift];
    record.sums.add(record.counts, of_lat_ ? lat_ns : clat_ns);
  }

 private:
  static bool measured(const job::Job& job) {
    return !job.gtod_reduce && !(job.lat_percentiles ? job.disable_lat : job.disable_clat);
  }

  bool used_, of_lat_;
  records::PriorityRecord (&records_)[2][records::kPriorityRecords];
};

}  // namespace fathom::run::watch
