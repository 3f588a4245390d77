// fio's exit status counts jobs that ended with an error. Its files have the error number.
#include "import/fio/reported.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "result/findings/rows.h"
#include "result/job_fields.h"
#include "result/measured.h"
#include "result/sums/apart.h"

namespace fathom::import::fio {
namespace {

void take_error(result::Run& run, result::Job& job) {
  if (job.error == 0) return;
  job.error_count = std::max<std::uint64_t>(job.error_count, 1);
  result::IoError error;
  error.err = job.error, error.op = "job", error.job = job.name;
  const char* const why = job.error == EILSEQ ? "verification failed" : std::strerror(job.error);
  error.message = fmt::format("fio ended this job with error {} ({})", job.error, why);
  run.errors.push_back(std::move(error));
}

// Jobs that count as started together, because the file lacks their begins.
bool of_unknown_begin(const result::Run& run) {
  const auto unknown = [](const result::Job& job) {
    return std::any_of(job.dirs.begin(), job.dirs.end(), [](const auto& d) { return d.ios > 0 && !d.begin_ns; });
  };
  const auto same_group = [&](const result::Job& job) { return job.group_id == run.jobs.front().group_id; };
  return run.jobs.size() > 1 && std::all_of(run.jobs.begin(), run.jobs.end(), same_group) &&
         std::any_of(run.jobs.begin(), run.jobs.end(), unknown);
}

}  // namespace

void take_what_it_did(result::Job& job) {
  job.iodepth = 0;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    job.bs_min[d] = job.bs_max[d] = 0;
    if (!result::has_samples(dir)) continue;
    job.rw += (job.rw.empty() ? "" : " and ") + std::string(result::kDirKeys[d]);
    if (dir.ios > 0 && dir.bytes % dir.ios == 0) job.bs_min[d] = job.bs_max[d] = dir.bytes / dir.ios;
  }
}

void complete_reported(result::Run& run, const Source& source) {
  bool histograms = false, percentiles = false;
  for (auto& job : run.jobs) {
    take_error(run, job);
    for (const auto& dir : job.dirs)
      for (const auto* latency : {&dir.slat, &dir.clat, &dir.lat}) {
        histograms = histograms || !latency->histogram_ns.empty();
        percentiles = percentiles || !latency->percentiles_ns.empty();
      }
  }
  const auto find = [&run](const char* id, const char* variant, std::size_t count) {
    run.findings.push_back(result::findings::found(id, {.variant = variant, .values = {{"count", count}}}));
  };
  if (source.documents > 1) find("import.documents", source.is_json ? "" : "lines", source.documents);
  if (auto finding = result::sums::apart(run)) run.findings.push_back(std::move(*finding));
  if (source.not_numbers > 0) find("import.not_numbers", "", source.not_numbers);
  const char* const variant = histograms ? "" : percentiles ? "percentiles" : "none";
  run.findings.push_back(
      result::findings::found("import.fio", {.variant = variant, .values = {{"version", run.program.version}}}));
  if (of_unknown_begin(run)) find("import.begins", "", run.jobs.size());
}

}  // namespace fathom::import::fio
