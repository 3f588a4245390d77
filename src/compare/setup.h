// The facts of a run that are not numbers: job parameters, host, program, findings. Each side counts its values. A
// value that is not the same on all sides is a difference. A parameter that makes a different job is marked unlike. A
// fact that a result lacks (fio's own lack the host) is not a difference. Pure.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/commands/compare.h"
#include "result/result.h"

namespace fathom::compare {

class Setup {
 public:
  // Adds a run. `whole`: the result with the facts that its repetitions share.
  void add(const result::Run& run, const result::Run& whole);

  // In this order: parameters that make a different job, other job parameters, host, program, findings.
  friend std::vector<result::SetupDifference> differences(const std::vector<const Setup*>& sides);

 private:
  struct Fact {
    bool unlike = false;
    std::map<std::string, std::size_t> values;  // value, and number of runs with it
  };
  using Place = std::pair<int, std::string>;  // part and name
  void put(int part, const std::string& name, const std::string& value, bool unlike = false);
  void put_jobs(const result::Run& run);
  void put_paging(const result::Paging& paging);
  void put_host(const result::HostFacts& host);
  std::optional<std::string> value_at(const Place& place) const;

  std::map<Place, Fact> facts_;
  std::size_t runs_ = 0, runs_with_findings_ = 0;
};

std::vector<result::SetupDifference> differences(const std::vector<const Setup*>& sides);

}  // namespace fathom::compare
