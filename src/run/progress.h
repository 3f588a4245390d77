// How far the run is: rates since the last look, and how long it will still take. Made from counters that the workers
// keep anyway.
#pragma once
#include <vector>

#include "run/crew.h"
#include "run/runner.h"

namespace fathom::run {

class ProgressWatch {
 public:
  explicit ProgressWatch(const std::vector<Plan>& plans);
  Progress look(const Crew& crew, std::size_t first, std::size_t last);

 private:
  double remaining_s(const Member& member, std::uint64_t now_ns, bool& known) const;
  const std::vector<Plan>& plans_;
  std::uint64_t last_ns_, begin_ns_;
  std::uint64_t bytes_[io::kDataDirs] = {}, ios_[io::kDataDirs] = {};
};

// fio's letter for a worker: P pending, I set up, / ramp, R r W w M m T by what it does, _ ended.
char state_letter(const job::Job& job, Phase phase, bool started, bool ended);

}  // namespace fathom::run
