// openfiles=N: of a job's files at most N are open at a time. Every file has a place, its number modulo N, and the files
// of a place are open one after the other under one descriptor number (workload/places/file_choice.h takes them in that order),
// so that what an engine has been told of its files when it was opened stays true. This stands between the loop and the
// source of its requests: a block is cut where a place changes its file, and the next one begins with the file opened.
// What is in flight then has been submitted, so the kernel holds its file itself; jobs with openfiles= submit each I/O
// by itself (job/resolve.cc). Opening is part of the job's time, as in fio. Thread rule: the worker's.
#pragma once
#include <vector>

#include "run/files/open_files.h"
#include "run/records/record.h"
#include "workload/source.h"

namespace fathom::run::files {

class OpenPlaces final : public workload::Source {
 public:
  // All of them outlive it. look: asked of each file before it is written.
  OpenPlaces(workload::Source& requests, const Plan& plan, const OpenTargets& open, records::WorkerRecord& record,
             const DescriptorLook& look);
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return !failed_ && requests_.begin_pass(); }

 private:
  bool open_in_place(std::uint16_t file);
  void fail(const base::Error& error);
  workload::Source& requests_;
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
