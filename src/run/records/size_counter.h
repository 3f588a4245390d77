// Number of I/Os issued for each declared block size, for jobs with several. The loop counts a block of requests at a
// time, when it takes a new one from its stream, so that the path of an I/O is not affected. When the ramp or the job
// ends, the count is corrected by the rest of the block. Thread rule: the worker's own.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "run/records/record.h"
#include "workload/places/size_classes.h"

namespace fathom::run::records {

class SizeCounter {
 public:
  SizeCounter(const job::Job& job, Measured& measured) : measured_(measured) {
    for (std::size_t d = 0; d < io::kDataDirs; ++d)
      classes_[d] = workload::places::size_classes(job, static_cast<io::Dir>(d));
  }
  bool needed() const {
    for (const auto& classes : classes_)
      if (!classes.empty()) return true;
    return false;
  }
  void add(const io::Request* from, const io::Request* end) { count(from, end, 1); }
  void take_back(const io::Request* from, const io::Request* end) { count(from, end, ~std::uint64_t{0}); }

 private:
  void count(const io::Request* from, const io::Request* end, std::uint64_t step) {
    if (from != end && io::is_noted(*from)) return;  // verify_backlog=: one read at a time, of no requested size
    for (; from != end; ++from) {
      const std::size_t d = io::index(from->dir);
      if (d >= io::kDataDirs || classes_[d].empty()) continue;
      measured_.size_ios[d][workload::places::class_of(classes_[d], from->length)] += step;
    }
  }
  Measured& measured_;
  std::array<std::vector<workload::places::SizeClass>, io::kDataDirs> classes_;
};

}  // namespace fathom::run::records
