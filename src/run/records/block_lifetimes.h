// block_error_percentiles=1: for each block of the job's one file, the number of successful trims and the last event.
// One of the consumers of single I/Os (watches.h). A block has the size of the smallest trim, and an I/O counts for all
// blocks that it touches. After a failed write or trim, a block no longer changes: its number of trims is then its
// lifetime. The counts are in the worker's record, because the parent makes the report.
// Source: the manual of fio 3.42. Thread rule: the worker's.
#pragma once
#include <cstdint>
#include <span>

#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "run/records/record.h"

namespace fathom::run::records {

class BlockLifetimes {
 public:
  BlockLifetimes(const job::Job& job, std::span<const io::Target> targets, WorkerRecord& record);

  bool any() const { return record_.lifetime_blocks > 0; }
  void done(const io::Request& request) { mark(request, BlockFate::trimmed, BlockFate::written); }
  void failed(const io::Request& request) { mark(request, BlockFate::trim_failed, BlockFate::write_failed); }

 private:
  void mark(const io::Request& request, BlockFate of_trim, BlockFate of_write);

  WorkerRecord& record_;
  std::uint64_t block_bytes_ = 1, start_ = 0;
};

}  // namespace fathom::run::records
