// fio's exit status counts jobs that ended with an error; its files have the number of the error.
#include "import/fio/reported.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "result/findings/rows.h"
#include "result/job_fields.h"

namespace fathom::import::fio {
namespace {

void take_error(result::Run& run, result::Job& job) {
  if (job.error == 0) return;
  job.error_count = std::max<std::uint64_t>(job.error_count, 1);
  result::IoError error;
  error.err = job.error, error.op = "job", error.job = job.name;
  error.message = fmt::format("fio ended this job with error {} ({})", job.error, std::strerror(job.error));
  run.errors.push_back(std::move(error));
}

}  // namespace

void take_what_it_did(result::Job& job) {
  job.iodepth = 0;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    job.bs_min[d] = job.bs_max[d] = 0;
    if (dir.ios == 0 && dir.bytes == 0) continue;
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
  if (source.not_numbers > 0) find("import.not_numbers", "", source.not_numbers);
  const char* const variant = histograms ? "" : percentiles ? "percentiles" : "none";
  run.findings.push_back(
      result::findings::found("import.fio", {.variant = variant, .values = {{"version", run.program.version}}}));
}

}  // namespace fathom::import::fio
