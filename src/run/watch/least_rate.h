// rate_min=, rate_iops_min=: whether a job kept its least rates since they were judged last, a cycle ago or longer. As in
// fio they are judged when an I/O completes, and those of a direction once it has completed one. Nothing is judged in the
// first two seconds. Pure arithmetic on counters, which the parent reads (run/judges.h).
#pragma once
#include <cstdint>
#include <string>

#include "job/fields/least_rate.h"

namespace fathom::run::watch {

class LeastRateWatch {
 public:
  static constexpr std::uint64_t kGraceNs = 2'000'000'000;

  explicit LeastRateWatch(const job::fields::LeastRate& rule) : rule_(rule) {}
  struct Counts {
    std::uint64_t bytes[io::kDataDirs] = {}, ios[io::kDataDirs] = {};
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  // since_start_ns: of the measured part. In fio's words what was not kept, or nothing.
  std::string look(std::uint64_t since_start_ns, const Counts& counts);

 private:
  job::fields::LeastRate rule_;
  bool begun_ = false;
  std::uint64_t last_ns_ = 0;
  Counts last_;
};

}  // namespace fathom::run::watch
