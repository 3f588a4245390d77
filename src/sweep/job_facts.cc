// A job with a stonewall begins when the jobs before it have ended.
#include "sweep/job_facts.h"

#include <algorithm>
#include <string_view>

#include "io/engines.h"

namespace fathom::sweep {
namespace {

constexpr double kSecond_ns = 1e9;
constexpr std::size_t kWrite = 1;

bool has(const std::vector<std::pair<std::string, std::string>>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(), [&](const auto& option) { return option.first == name; });
}

std::optional<double> seconds_of(const job::Job& job) {
  if (job.runtime_ns == 0) return std::nullopt;
  return static_cast<double>(job.startdelay_ns + job.ramp_ns + job.runtime_ns) / kSecond_ns;
}

// A bound from the rate, or from the size if the job ends with it.
std::optional<double> bytes_of(const job::Job& job) {
  if (!job.changes_targets()) return 0;
  std::optional<double> least;
  const auto bound = [&](double bytes) { least = std::min(least.value_or(bytes), bytes); };
  if (job.runtime_ns > 0) {
    const double seconds = static_cast<double>(job.ramp_ns + job.runtime_ns) / kSecond_ns;
    if (job.rate_bytes_per_s[kWrite] > 0) bound(static_cast<double>(job.rate_bytes_per_s[kWrite]) * seconds);
    if (job.rate_iops[kWrite] > 0)
      bound(static_cast<double>(job.rate_iops[kWrite]) * static_cast<double>(job.bs_max[kWrite]) * seconds);
  }
  const auto& size = job.io_size.set ? job.io_size : job.size;
  if (!job.time_based && size.set && size.percent == 0)
    bound(static_cast<double>(size.bytes) * static_cast<double>(job.loops));
  return least;
}

// Counts only a stated size. A job without a size reads existing files.
double laid_out_by(const job::Job& job) {
  const auto& engine = io::traits_of(job.ioengine);
  const bool on_disk = engine.needs_files && !engine.connects && !engine.does_nothing && job.allow_file_create;
  if (!on_disk || !(job.mode.reads || job.overwrite || engine.maps_files)) return 0;
  const auto is_device = [](const std::string& file) { return file.starts_with("/dev/"); };
  if (!job.filenames.empty() && std::all_of(job.filenames.begin(), job.filenames.end(), is_device)) return 0;
  if (job.size.set && job.size.percent == 0) return static_cast<double>(job.size.bytes);
  return static_cast<double>(job.filesize_max) * job.nrfiles;
}

}  // namespace

JobFacts facts_of(const job::JobSet& jobs) {
  JobFacts facts;
  facts.seconds = facts.bytes = 0;
  std::optional<double> group = 0;
  const auto end_group = [&] {
    if (facts.seconds && group) *facts.seconds += *group;
    if (!group) facts.seconds.reset();
    group = 0;
  };
  for (const auto& job : jobs.jobs) {
    if (job.stonewall) end_group();
    const auto seconds = seconds_of(job);
    group = group && seconds ? std::optional(std::max(*group, *seconds)) : std::nullopt;
    const auto bytes = bytes_of(job);
    facts.bytes = facts.bytes && bytes ? std::optional(*facts.bytes + *bytes) : std::nullopt;
    facts.laid_out_bytes += laid_out_by(job);
    facts.writes = facts.writes || job.changes_targets();
    facts.paced = facts.paced || job.paced();
    facts.process_written = facts.process_written || has(job.echo, "rate_process");
    facts.own_seed = facts.own_seed && job.randseed == 0;
    facts.simulated = facts.simulated && io::traits_of(job.ioengine).fake_time;
  }
  end_group();
  facts.process_written = facts.process_written || has(jobs.global_echo, "rate_process");
  return facts;
}

JobFacts most_of(const JobFacts& a, const JobFacts& b) {
  const auto most = [](const std::optional<double>& x, const std::optional<double>& y) {
    return x && y ? std::optional(std::max(*x, *y)) : std::nullopt;
  };
  JobFacts out = a;
  out.seconds = most(a.seconds, b.seconds), out.bytes = most(a.bytes, b.bytes);
  out.laid_out_bytes = std::max(a.laid_out_bytes, b.laid_out_bytes);
  out.writes = a.writes || b.writes, out.paced = a.paced || b.paced;
  out.process_written = a.process_written || b.process_written;
  out.simulated = a.simulated && b.simulated, out.own_seed = a.own_seed && b.own_seed;
  return out;
}

}  // namespace fathom::sweep
