// What is measured, and how it is put together.
#include <algorithm>

#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr std::size_t kMostPercentiles = 20;  // fio's limit; its readers expect no more

Outcome read_percentiles(Draft& draft, const Option& option, std::string_view value) {
  std::vector<double> list;
  for (const auto part : split(value, ':')) {
    double percentile = 0;
    if (auto problem = read_real(option, part, 0, 100, percentile)) return problem;
    if (list.size() == kMostPercentiles)
      return Problem{"too many percentiles", "fio's reports hold at most 20", "leave some out", part,
                     base::ErrorKind::usage};
    list.push_back(percentile);
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  draft.job.percentile_list = std::move(list);
  return {};
}

constexpr Option kRows[] = {
    flag<&Job::group_reporting>({.name = "group_reporting", .help = "Report each group as one"}),
    boolean<&Job::disable_lat>({.name = "disable_lat", .fallback = "0", .help = "Do not measure total latency"}),
    boolean<&Job::disable_clat>({.name = "disable_clat", .fallback = "0", .help = "Do not measure completion latency"}),
    boolean<&Job::disable_slat>({.name = "disable_slat", .fallback = "0", .help = "Do not measure submission latency"}),
    boolean<&Job::disable_bw>({.name = "disable_bw_measurement",
                               .aliases = {"disable_bw"},
                               .fallback = "0",
                               .help = "Do not sample bandwidth"}),
    boolean<&Job::lat_percentiles>(
        {.name = "lat_percentiles", .fallback = "0", .help = "Report percentiles of total latency"}),
    boolean<&Job::clat_percentiles>(
        {.name = "clat_percentiles", .fallback = "1", .help = "Report percentiles of completion latency"}),
    boolean<&Job::slat_percentiles>(
        {.name = "slat_percentiles", .fallback = "0", .help = "Report percentiles of submission latency"}),
    special({.name = "percentile_list",
             .fallback = "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
             .help = "Percentiles to report, separated by `:`"},
            Type::list, read_percentiles),
};

}  // namespace

std::span<const Option> measure_options() { return kRows; }

}  // namespace fathom::job
