// A job without filename= works on files called name.job.file, so its devices are found by that prefix.
#include "audit/job_view.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text/parse.h"
#include "result/option_of.h"

namespace fathom::audit {
namespace {

// "direct" alone and "direct=1" both mean yes.
bool is_true(std::string_view value) { return value.empty() || value == "1" || base::text::to_lower(value) == "true"; }

// Which of `direct` and `buffered` was written later in one list of options; nothing if neither.
std::optional<bool> direct_in(const result::Options& options) {
  std::optional<bool> direct;
  for (const auto& row : options) {
    if (row.first == "direct") direct = is_true(row.second);
    if (row.first == "buffered") direct = !is_true(row.second);
  }
  return direct;
}

bool names_target(std::string_view files, std::string_view target) {
  while (!files.empty()) {
    const auto end = files.find(':');
    const auto file = files.substr(0, end);
    if (target == file || target.ends_with("/" + std::string(file))) return true;
    files = end == std::string_view::npos ? std::string_view{} : files.substr(end + 1);
  }
  return false;
}

bool is_whole(const result::SeriesPoint& point, const result::Job& job) {
  return 2 * point.interval_ms > job.series_width_ms;
}

}  // namespace

std::optional<std::string_view> option(const result::Run& run, const result::Job& job, std::string_view name) {
  const auto* written = result::option_of(run, job, name);
  return written != nullptr ? std::optional<std::string_view>(*written) : std::nullopt;
}

bool is_on(const result::Run& run, const result::Job& job, std::string_view name) {
  return option(run, job, name).value_or("0") != "0";
}

bool is_direct(const result::Run& run, const result::Job& job) {
  const auto own = direct_in(job.options);
  return own ? *own : direct_in(result::globals_of(run, job)).value_or(false);
}

bool moved_data(const result::Job& job) {
  return std::any_of(job.dirs.begin(), job.dirs.end(), [](const result::Direction& d) { return d.ios > 0; });
}

std::vector<const result::DeviceFacts*> devices_of(const result::Run& run, const result::Job& job) {
  std::vector<const result::DeviceFacts*> own, all;
  const auto files = option(run, job, "filename");
  for (const auto& device : run.host.devices) {
    all.push_back(&device);
    const std::string_view target = device.target;
    const auto base_name = target.substr(target.rfind('/') + 1);
    const bool mine = files ? names_target(*files, target) : base_name.starts_with(job.name + ".");
    if (mine) own.push_back(&device);
  }
  return own.empty() ? all : own;
}

bool searches_depth(const result::Job& job) { return job.latency_target.target_ns > 0; }

// The intervals in which a part begins and ends belong to it in part only.
std::vector<result::SeriesPoint> own_part(const result::Run& run, const result::Job& job,
                                          const result::Direction& dir) {
  const auto has_ios = [](const result::SeriesPoint& point) { return point.ios > 0; };
  const bool in_phases = job.read_back_ns > 0;
  const bool ends_in_sync = is_on(run, job, "end_fsync") || is_on(run, job, "fsync_on_close");
  auto begin = dir.series.begin(), end = dir.series.end();
  if (in_phases || ends_in_sync) {
    end = std::find_if(dir.series.rbegin(), dir.series.rend(), has_ios).base();
    if (end != dir.series.end() && end != begin) --end;
  }
  if (in_phases) {
    const auto first = std::find_if(begin, end, has_ios);
    begin = first == begin || first == end ? first : std::next(first);
  }
  std::vector<result::SeriesPoint> points;
  std::copy_if(begin, end, std::back_inserter(points), [&](const auto& point) { return is_whole(point, job); });
  return points;
}

}  // namespace fathom::audit
