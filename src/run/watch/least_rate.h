// rate_min=, rate_iops_min=: checks that a job kept its minimum rates since the previous check, at least one cycle ago.
// As in fio, the check happens when an I/O completes, and includes a direction once it has completed an I/O. No check
// happens in the first two seconds. Pure arithmetic on counters, which the parent reads (run/judges.h).
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
  // since_start_ns: since the measured part began. Returns the missed rate in fio's words; empty: all rates were kept.
  std::string look(std::uint64_t since_start_ns, const Counts& counts);

 private:
  job::fields::LeastRate rule_;
  bool begun_ = false;
  std::uint64_t last_ns_ = 0;
  Counts last_;
};

}  // namespace fathom::run::watch
