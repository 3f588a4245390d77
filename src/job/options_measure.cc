// What is measured, and how it is put together.
#include <algorithm>

#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::size_t kMostPercentiles = 20;  // fio's limit; its readers expect no more

Outcome read_percentiles(Job& job, const Value& value) {
  std::vector<double> list;
  for (const auto part : split(value.text, ':')) {
    double percentile = 0;
    if (auto problem = read_real(value.part(part), 0, 100, percentile)) return problem;
    if (list.size() == kMostPercentiles)
      return wrong("too many percentiles", "fio's reports hold at most 20", "leave some out", part);
    list.push_back(percentile);
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  job.percentile_list = std::move(list);
  return {};
}

constexpr Row kRows[] = {
    flag<&Job::group_reporting>({"group_reporting", "", "Report each group as one"}),
    boolean<&Job::disable_lat>({"disable_lat", "0", "Do not measure total latency"}),
    boolean<&Job::disable_clat>({"disable_clat", "0", "Do not measure completion latency"}),
    boolean<&Job::disable_slat>({"disable_slat", "0", "Do not measure submission latency"}),
    boolean<&Job::disable_bw>({"disable_bw_measurement disable_bw", "0", "Do not sample bandwidth"}),
    boolean<&Job::lat_percentiles>({"lat_percentiles", "0", "Report percentiles of total latency"}),
    boolean<&Job::clat_percentiles>({"clat_percentiles", "1", "Report percentiles of completion latency"}),
    boolean<&Job::slat_percentiles>({"slat_percentiles", "0", "Report percentiles of submission latency"}),
    special<read_percentiles>({"percentile_list", "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
                               "Percentiles to report, separated by `:`"},
                              Type::list),
};

}  // namespace

std::span<const Row> measure_options() { return kRows; }

}  // namespace fathom::job
