// libFuzzer: any bytes as a stored result of any schema. What is refused has a place that lies in the text; what is
// read holds together: histograms add up to their moments or are empty, percentiles rise, and what an older file lacks
// is named in a finding.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/result_json.h"

using namespace fathom;

namespace {

template <class L>
void check(const L& latency) {
  const auto total = latency.histogram_ns.total();
  if (total != 0 && (total != latency.moments_ns.n || !latency.percentiles_ns.empty())) std::abort();
  double before = 0;
  for (const auto& [percentile, value] : latency.percentiles_ns) {
    if (!(percentile > before && percentile <= 100)) std::abort();
    before = percentile;
  }
}

void check(const std::vector<result::Job>& jobs) {
  for (const auto& job : jobs) {
    check(job.sync_lat);
    for (const auto& dir : job.dirs) check(dir.slat), check(dir.clat), check(dir.lat), check(dir.intended_lat);
    double before = 0;
    for (const double percentile : job.percentile_list) {
      if (!(percentile > before && percentile <= 100)) std::abort();
      before = percentile;
    }
  }
}

void check(const result::Run& run) {
  check(run.jobs), check(run.group_members);
  if (run.paging)
    for (const auto& of_class : run.paging->latency)
      for (const auto& latency : of_class) check(latency);
  for (const auto& repetition : run.repetitions) check(repetition);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto run = import::read_result_json(text, "fuzz.json");
  if (!run) {
    const auto& place = run.error().place;
    if (!place || place->line < 1 || place->column < 1 ||
        (!place->line_text.empty() && place->column > static_cast<int>(place->line_text.size()) + 1) ||
        run.error().what.empty())
      std::abort();
    return 0;
  }
  check(*run);
  const auto older = [](const auto& finding) { return finding.id == "import.older_schema"; };
  if (!run->lacks.empty() && text.find("\"lacks\"") == text.npos &&
      std::none_of(run->findings.begin(), run->findings.end(), older))
    std::abort();
  return 0;
}
