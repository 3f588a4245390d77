// The measured quantities, and how they are combined.
#include <algorithm>

#include "job/fields/block_lifetimes.h"
#include "job/fields/report_as.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::size_t kMostPercentiles = 20;  // fio's limit; readers of its output expect no more

Outcome read_percentiles(Job& job, const Value& value) {
  std::vector<double> list;
  for (const auto part : split(value.text, ':')) {
    double percentile = 0;
    if (auto problem = read_real(value.part(part), 0, 100, percentile)) return problem;
    if (list.size() == kMostPercentiles)
      return wrong("too many percentiles", "fio's reports hold at most 20", "omit some", part);
    list.push_back(percentile);
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  job.percentile_list = std::move(list);
  return {};
}

constexpr Choice kUnified[] = {{"none", int(fields::Unified::none), "reads, writes and trims separately"},
                               {"mixed", int(fields::Unified::mixed), "all directions together"},
                               {"both", int(fields::Unified::both), "each direction, and all directions together"},
                               {"0", int(fields::Unified::none), "as none"},
                               {"1", int(fields::Unified::mixed), "as mixed"},
                               {"2", int(fields::Unified::both), "as both"}};
constexpr Choice kUnits[] = {{"0", 0, "as 8"}, {"8", 8, "rates in bytes"}, {"1", 1, "rates in bits"}};
constexpr std::uint64_t kHighestClock = 11;  // CLOCK_TAI

constexpr Row kMeasureRows[] = {
    flag<&Job::group_reporting>({"group_reporting", "", "Report each group as one job"}),
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
    choice<&fields::ReportAs::unified>({"unified_rw_reporting", "none", "Report all directions together"}, kUnified),
    count<&fields::ReportAs::significant_figures>(
        {"significant_figures", "4", "Significant digits of numbers in the text"}, 1, 10),
    choice<&fields::ReportAs::unit_base>({"unit_base", "0", "Report bits or bytes"}, kUnits),
    boolean<&fields::BlockLifetimes::on>(
        {"block_error_percentiles", "0", "Report the trims of each block until a write or trim failed"}),
    boolean<&fields::ReportAs::disk_util>({"disk_util", "1", "Report the utilization of the disks"}),
    boolean<&fields::ReportAs::stats>(
        {"stats", "1", "Include the job in the report", "", "fathom's own JSON always includes the job"}),
    count<&fields::ReportAs::bw_window_ms>({"bwavgtime", "500", "Width of a bandwidth sample in ms; 0: as 1"}, 0,
                                           kMaxU32),
    count<&fields::ReportAs::iops_window_ms>({"iopsavgtime", "500", "Width of an IOPS sample in ms; 0: as 1"}, 0,
                                             kMaxU32),
    count<&fields::ReportAs::job_start_clock_id>(
        {"job_start_clock_id", "0", "Clock of clock_gettime(2) for the job's start time"}, 0, kHighestClock),
};

}  // namespace

std::span<const Row> measure_options() { return kMeasureRows; }

}  // namespace fathom::job
