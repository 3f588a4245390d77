// What of a run is no number: what its jobs were asked for, where it was made and by what, and what was doubted. Of
// each side the values are counted; what is not the same on all sides is a difference, and a parameter that makes
// another job is called unlike. What a result cannot say (fio's own of the host) is no difference. Pure.
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
  // Of a run, with what stands above its repetitions once.
  void add(const result::Run& run, const result::Run& whole);

  // In the order: what makes another job, the rest of the job, host, program, findings.
  friend std::vector<result::SetupDifference> differences(const std::vector<const Setup*>& sides);

 private:
  struct Fact {
    bool unlike = false;
    std::map<std::string, std::size_t> values;  // and in how many runs
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
