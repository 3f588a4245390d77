// Reports a run while it runs: the status line, and whole reports. The parent calls it between two waits.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "run/outcome/so_far.h"
#include "run/progress.h"
#include "run/runner.h"
#include "run/sampling/recent.h"

namespace fathom::run {

class Teller {
 public:
  // so_far creates the report, without the remaining time. plans and options must outlive this object.
  Teller(const std::vector<files::Plan>& plans, const RunOptions& options, std::function<result::Run()> so_far);
  void begin_stage(std::size_t first, std::size_t last);
  std::uint64_t next_ns() const;
  void tell(const Workers& workers);
  // Call at each sampling. all: the sum of all workers.
  void sampled(std::optional<sampling::SamplePoint> all);

 private:
  Progress look(ProgressWatch& watch, const Workers& workers) const;
  void report(const Workers& workers);

  const RunOptions& options_;
  const std::function<result::Run()> so_far_;
  sampling::Recent recent_;
  ProgressWatch line_, second_, report_;
  std::uint64_t next_line_ns_;
  bool second_over_ = false;  // which samplings are reported
  outcome::StatusBeat beat_;
};

}  // namespace fathom::run
