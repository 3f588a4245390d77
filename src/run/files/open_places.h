// openfiles=N: at most N of a job's files are open at a time. Every file has a place, its number modulo N. The files of
// a place are open in turn under one descriptor number (workload/places/file_choice.h takes them in that order), so
// that the file table that an engine got at open stays valid. This class filters the requests from their source to the
// loop: it ends a block where a place changes its file, and opens the file before the next block.
// I/Os in flight are submitted by then, so the kernel holds their file. Jobs with openfiles= submit each I/O
// separately (job/resolve.cc). As in fio, opening counts as job time. The reads of verify= come through it as well: they
// go to any file, in the order of the writes. Thread rule: the worker's thread.
#pragma once
#include <vector>

#include "run/files/open_files.h"
#include "run/records/record.h"
#include "workload/source.h"

namespace fathom::run::files {

class OpenPlaces final : public workload::Source {
 public:
  // All arguments must outlive this object. look: called for each file before it is written.
  OpenPlaces(workload::Source& requests, const Plan& plan, const OpenTargets& open, records::WorkerRecord& record,
             const DescriptorLook& look);
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return !failed_ && requests_->begin_pass(); }
  // From now on the requests come from this source, which must outlive this object. The rest of a block is dropped.
  OpenPlaces& continue_with(workload::Source& requests);
  // fsync of the files that are not open now, so that their pages can leave the cache. Returns the first errno, or 0.
  int sync_closed() const;

 private:
  bool open_in_place(std::uint16_t file);
  void fail(const base::Error& error);
  workload::Source* requests_;
  const Plan& plan_;
  const OpenTargets& open_;
  records::WorkerRecord& record_;
  const DescriptorLook& look_;
  std::vector<std::uint16_t> in_place_;
  io::Request block_[kBlock];
  std::size_t next_ = 0, made_ = 0;
  bool failed_ = false;
};

}  // namespace fathom::run::files
