// Each step decides one thing; the order matters only where a comment says so.
#include "job/resolve.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/engines.h"
#include "job/cpus.h"
#include "job/option.h"
#include "job/resolve_verify.h"

namespace fathom::job {

base::Error error_for(const Draft& draft, const Assignment& section, std::string_view option, std::string what,
                      std::string cause, std::string help) {
  const auto* applied = draft.find(option);
  return usage_error(std::move(what), std::move(cause), std::move(help),
                     applied ? value_place(applied->assignment) : key_place(section));
}

namespace {

base::Error not_of_engine(const Row& option, std::string_view engine, const Assignment& a) {
  const auto engines = option.words.engines;
  return usage_error(fmt::format("`{}`: engine {} does not have this option", option.name(), engine),
                     fmt::format("it belongs to {}; this job uses {}", engines, engine),
                     fmt::format("leave it out, or write `ioengine={}`", engines.substr(0, engines.find(' '))),
                     key_place(a));
}

base::Expected<void> check_engine_options(Draft& draft) {
  const auto& engine = draft.job.ioengine;
  for (const auto& a : draft.inherited)
    if (is_built(a.option) && !a.option->of_engine(engine))
      draft.job.ignored.push_back(fmt::format("{} of [global]: engine {} does not have it", a.option->name(), engine));
  for (const bool of_built : {true, false})
    for (const auto& a : draft.applied)
      if (is_built(a.option) == of_built && !a.option->of_engine(engine))
        return not_of_engine(*a.option, engine, a.assignment);
  if (io::traits_of(engine).passes_commands && draft.job.engine.vectored)
    draft.job.ignored.push_back(fmt::format("nonvectored=0: engine {} has no vectored commands", engine));
  return {};
}

void resolve_block_sizes(Draft& draft) {
  Job& job = draft.job;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto& range = draft.bsrange[d];
    job.bs_min[d] = range.high ? range.low : draft.bs[d];
    job.bs_max[d] = range.high ? range.high : draft.bs[d];
    if (!job.bssplit[d].empty()) {
      const auto by_size = [](const BlockSplit& a, const BlockSplit& b) { return a.bytes < b.bytes; };
      const auto [low, high] = std::minmax_element(job.bssplit[d].begin(), job.bssplit[d].end(), by_size);
      job.bs_min[d] = low->bytes;
      job.bs_max[d] = high->bytes;
    }
    const bool aligned = job.mode.random && job.blockalign[d] != 0 && job.blockalign[d] != job.bs_min[d];
    if (aligned) job.norandommap = true;
    if (!aligned) job.blockalign[d] = job.bs_min[d];
  }
}

void resolve_depth(Job& job) {
  if (job.iodepth_batch == 0 || job.iodepth_batch > job.iodepth) job.iodepth_batch = job.iodepth;
  job.iodepth_batch_complete_min = std::min(job.iodepth_batch_complete_min, job.iodepth);
  if (job.iodepth_batch_complete_max != 0)
    job.iodepth_batch_complete_max =
        std::clamp(job.iodepth_batch_complete_max, std::max(job.iodepth_batch_complete_min, 1u), job.iodepth);
  if (job.iodepth_low >= job.iodepth) job.iodepth_low = 0;
  job.engine.iodepth = job.iodepth;
  job.engine.direct = job.direct;
  job.engine.has_writes = job.changes_targets();
}

void resolve_measuring(Job& job) {
  if (job.disable_lat) job.lat_percentiles = false;
  if (job.disable_clat) job.clat_percentiles = false;
  if (job.disable_slat) job.slat_percentiles = false;
}

void resolve_time(Job& job) {
  job.thinktime_spin_ns = std::min(job.thinktime_spin_ns, job.thinktime_ns);
  if (!job.time_based || job.runtime_ns != 0) return;
  job.time_based = false;
  job.ignored.push_back("time_based=1 without runtime");
}

base::Expected<void> check_rates(const Draft& draft, const Assignment& section) {
  bool bytes = false, ios = false;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    bytes |= draft.job.rate_bytes_per_s[d] != 0;
    ios |= draft.job.rate_iops[d] != 0;
  }
  if (!bytes || !ios) return {};
  return error_for(draft, section, "rate_iops", "rate and rate_iops in one job", "a job is paced by bytes or by I/Os",
                   "leave one of them out");
}

base::Expected<void> check_cpus(const Draft& draft, const Assignment& section, const Environment& env) {
  const auto cpus = std::max(env.ncpus, env.ncpus_configured);
  for (const int cpu : draft.job.of<Cpus>().allowed)
    if (static_cast<unsigned>(cpu) >= cpus)
      return error_for(draft, section, "cpus_allowed", fmt::format("there is no CPU {}", cpu),
                       fmt::format("this machine's CPUs are 0 to {}", cpus - 1),
                       fmt::format("write CPUs up to {}", cpus - 1));
  return {};
}

base::Expected<void> check_readonly(const Draft& draft, const Assignment& section) {
  if (!draft.job.readonly || !draft.job.changes_targets()) return {};
  return error_for(draft, section, "rw",
                   fmt::format("job `{}` writes or trims, and --readonly forbids it", draft.job.name),
                   fmt::format("rw={} changes the target", draft.job.rw_name),
                   "write `rw=read` or `rw=randread`, or leave out --readonly");
}

// What can be known before a file is looked at. The size of an existing file or device comes later.
base::Expected<void> check_work(const Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  std::uint64_t smallest = ~std::uint64_t{0};
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (used[d]) smallest = std::min(smallest, job.bs_min[d]);
  if (job.size.bytes != 0 && job.size.bytes < smallest)
    return error_for(draft, section, "size", fmt::format("size={} is less than one block", job.size.bytes),
                     fmt::format("the smallest block is {} bytes", smallest), "make size larger or bs smaller");
  const bool sized = job.size.bytes != 0 || job.filesize_max != 0;
  if (!sized && !io::traits_of(job.ioengine).needs_files)
    return error_for(draft, section, "size", fmt::format("job `{}` has nothing to do", job.name),
                     fmt::format("engine {} has no files, and no size is given", job.ioengine),
                     "write for example `size=1g`");
  return {};
}

}  // namespace

base::Expected<void> resolve(Draft& draft, const Assignment& section, const Environment& env) {
  Job& job = draft.job;
  if (auto done = check_engine_options(draft); !done) return done;
  job.randrepeat = job.randrepeat || draft.allrandrepeat;
  if (!job.filenames.empty()) job.nrfiles = static_cast<std::uint32_t>(job.filenames.size());
  resolve_block_sizes(draft);
  resolve_depth(job);
  resolve_measuring(job);
  resolve_time(job);
  if (auto done = check_rates(draft, section); !done) return done;
  if (auto done = check_cpus(draft, section, env); !done) return done;
  if (auto done = check_readonly(draft, section); !done) return done;
  if (auto done = resolve_verify(draft, section); !done) return done;
  return check_work(draft, section);
}

}  // namespace fathom::job
