// The tables. An error and its further errors become lines of the same list.
#include "job/values/explain_compat.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/text/printable.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "job/fields/logs.h"
#include "job/fields/offset_choice.h"
#include "job/fields/process_options.h"
#include "job/fields/start.h"
#include "job/fields/steady.h"
#include "job/fields/submit.h"
#include "job/fields/think.h"
#include "job/option.h"

namespace fathom::job::values {
namespace {

bool every(const Job&) { return true; }
bool is_random(const Job& job) { return job.mode.random; }
bool writes(const Job& job) { return job.changes_targets(); }
bool trims(const Job& job) { return job.mode.trims; }
bool is_paced(const Job& job) { return job.paced(); }
bool zipf_or_normal(const Job& job) {
  return std::any_of(std::begin(job.distribution), std::end(job.distribution), [](const pattern::Spec& spec) {
    return spec.kind == pattern::Kind::zipf || spec.kind == pattern::Kind::normal;
  });
}
bool syncs_reads(const Job& job) { return job.fsync_every > 0 && job.mode.mixed(); }
bool syncs_data(const Job& job) { return job.fdatasync_every > 0; }
bool seeded(const Job& job) { return job.randseed != 0; }
bool repeats(const Job& job) { return job.loops > 1 || job.io_size.set; }
bool seeds_passes(const Job& job) { return repeats(job) && is_random(job) && seeded(job); }
bool mixes_passes(const Job& job) { return repeats(job) && !is_random(job) && job.mode.mixed(); }
bool verifies_passes(const Job& job) { return job.loops > 1 && job.verify && job.mode.writes; }
bool needs_files(const Job& job) { return !job.allow_file_create; }
bool has_logs(const Job& job) { return job.of<fields::Logs>().any(); }
bool logs_rates(const Job& job) { return job.of<fields::Logs>().bw || job.of<fields::Logs>().iops; }
bool averages_rates(const Job& job) { return logs_rates(job) && job.of<fields::Logs>().avg_msec != 0; }
bool logs_histograms(const Job& job) { return job.of<fields::Logs>().hist && job.of<fields::Logs>().hist_msec != 0; }
bool judged_steady(const Job& job) { return job.of<fields::Steady>().asked(); }
bool ramps_by_size(const Job& job) { return job.of<fields::Start>().ramp_bytes != 0; }
bool ramps_deep(const Job& job) { return (job.ramp_ns != 0 || ramps_by_size(job)) && job.iodepth > 1; }
bool arrives_by_chance(const Job& job) {
  return job.paced() && job.of<fields::Think>().process == fields::RateProcess::poisson;
}
bool thinks_deep(const Job& job) {
  const auto& think = job.of<fields::Think>();
  return job.thinktime_ns != 0 && job.iodepth > 1 && io::traits_of(job.ioengine).asynchronous && !think.by_issue &&
         (think.iotime_ns == 0 || think.blocks_given);
}
bool counts_offloaded(const Job& job) { return job.of<fields::Submit>().offload && job.number_ios != 0; }
bool sets_barriers(const Job& job) { return job.of<fields::FileOptions>().barrier_every != 0; }
bool is_atomic(const Job& job) { return job.of<fields::FileOptions>().atomic && job.mode.writes; }
bool sets_nice(const Job& job) { return job.of<fields::ProcessOptions>().nice.has_value(); }
bool trims_ranges(const Job& job) { return job.mode.trims && job.of<fields::OffsetChoice>().num_range > 1; }
bool preconditions(const Job& job) { return job.of<fields::SpRandom>().used; }
bool runs_program(const Job& job) { return io::traits_of(job.ioengine).runs_program; }
bool connects(const Job& job) { return io::traits_of(job.ioengine).connects; }
bool mixes_sizes(const Job& job) {
  const bool used[] = {job.mode.reads, job.mode.writes};
  if (!job.mode.random || job.norandommap) return false;
  if (job.of<fields::OffsetChoice>().generator == fields::Generator::lfsr) return false;
  for (std::size_t d = 0; d < 2; ++d)
    if (used[d] && job.distribution[d].kind == pattern::Kind::uniform &&
        (job.bs_min[d] != job.bs_max[d] || job.bssplit[d].size() > 1))
      return true;
  return false;
}
bool verifies(const Job& job) {
  const bool apart = job.offset_increment.bytes != 0 || job.offset_increment.percent > 0;
  return job.verify && job.mode.writes && !apart;
}
// Two clones of a section with filename=, or two sections with the same filename=.
bool share_a_file(std::span<const Job> jobs) {
  std::set<std::string> seen;
  for (const auto& job : jobs)
    for (const auto& name : std::set<std::string>(job.filenames.begin(), job.filenames.end()))
      if (!seen.insert(name).second) return true;
  return false;
}
bool maps(const Job& job) { return io::traits_of(job.ioengine).maps_files; }

constexpr OnPurpose kRows[] = {
    {"issue time", "is taken after the call that submits the I/O, so `clat` leaves out the submission",
     "is taken before it: `clat` is what kernel and device took, `slat` what fathom took", "`--stamps=fio`", every},
    {"random numbers", "come from fio's generators", "come from fathom's: the same distribution, other offsets", "",
     is_random},
    {"`bsrange` and `bssplit` over a random map",
     "shorten an I/O before a visited block: transfers are smaller than requested",
     "are laid out first: the sizes are as requested, and each block is visited once", "`norandommap=1`", mixes_sizes},
    {"several jobs that verify one file", "report errors: each job expects its own writes",
     "accept complete blocks that another job of the run wrote",
     "give each job a part of the file (`offset_increment`)", verifies, share_a_file},
    {"zipf and normal", "are approximations (the third rank of zipf comes 20 % too often)", "are exact", "",
     zipf_or_normal},
    {"`randseed`", "counts only together with `randrepeat=0`", "always counts", "omit it", seeded},
    {"further passes (`loops`, `io_size`) with `randseed`", "continue with other offsets", "repeat the first pass",
     "`randrepeat=0`", seeds_passes},
    {"further passes of `rw=rw`", "have another order of reads and writes", "repeat that of the first pass", "",
     mixes_passes},
    {"`verify` with `loops`", "reads back after each pass", "reads back once, after the last pass",
     "one job for each pass", verifies_passes},
    {"a device in use", "is refused only if it is mounted",
     "is refused if it is mounted, swap, held by another device, or has a file system or partitions on it",
     "`--allow-destructive=DEVICE`; under the name fio `allow_mounted_write=1` for mounts", writes},
    {"latencies over 17 s", "are counted in the last bucket", "have separate buckets", "", every},
    {"percentiles", "are the middle of a bucket, which may exceed the maximum", "are within the range of the samples",
     "", every},
    {"a rate that is not kept", "latency counts from when the late I/O was issued",
     "it is also reported from when the I/O was due", "read `lat_ns`, as in fio", is_paced},
    {"`rate_process=poisson`", "draws whole microseconds: 200,000 IOPS become 220,000", "draws nanoseconds", "",
     arrives_by_chance},
    {"`thinktime_blocks` of a queue",
     "pauses once, regardless of how many I/Os completed before the pause: at depth 32 every 16 blocks where 4 were "
     "requested (null, which never has two in flight, every 4)",
     "pauses once for each `thinktime_blocks` I/Os, at any depth and with every engine", "", thinks_deep},
    {"`iops` after a ramp", "counts I/Os issued since (`total_ios`)", "counts I/Os completed since, as `bw` does",
     "`total_ios` / `runtime`", ramps_deep},
    {"`ramp_size`", "ends at a check once per second", "ends exactly", "", ramps_by_size},
    {"averaged bw and iops logs", "omit the samples after the last whole window", "end with a shorter window", "",
     averages_rates},
    {"`bwavgtime`, `iopsavgtime` with such a log",
     "are the length of the log's lines too; without `log_avg_msec` each I/O is a sample",
     "are of the report's samples only", "give `log_avg_msec` the same number", logs_rates},
    {"histogram logs", "begin at the first completion after an interval, and lack the last interval", "have every I/O",
     "", logs_histograms},
    {"a log that cannot be opened", "causes a message; the job runs and exits with status 0", "fails its job", "",
     has_logs},
    {"steady state", "rates of a few per thousand too much: an interval's true length multiplies",
     "rates over the true length", "", judged_steady},
    {"trim of a file", "is refused", "punches a hole", "", trims},
    {"`fsync=N` in a mixed job", "syncs again at each read while the count of writes is a multiple of N",
     "syncs once after N writes", "", syncs_reads},
    {"`fdatasync`", "calls count as short reads", "calls count as syncs", "", syncs_data},
    {"a short file with `allow_file_create=0`", "is deleted", "stays; the job fails", "", needs_files},
    {"`write_barrier`", "makes no system call", "fdatasync(2) after each N-th write", "omit it", sets_barriers},
    {"`atomic`", "up to 3.37 opens with a flag that kernels do not know, and any engine takes it",
     "passes RWF_ATOMIC with each write; it fails where that is not supported", "`direct=1`", is_atomic},
    {"a trim of several ranges", "has the offset of its last in logs", "has the offset of its first", "", trims_ranges},
    {"`sprandom`", "writes a block again by chance",
     "by counts: the shares are exact, and each block is written at least once", "", preconditions},
    {"`number_ios` with `io_submit_mode=offload`", "is exceeded by the I/Os that the threads have started", "is exact",
     "", counts_offloaded},
    {"`nice`", "is added to the caller's", "is the value itself", "", sets_nice},
    {"exec", "runs until `runtime`, and a missing program is not an error",
     "ends with its program; a missing one fails it", "", runs_program},
    {"net", "fails while no server listens", "connects when all jobs that start together are ready", "", connects},
    {"an I/O error under mmap", "kills the job by SIGBUS", "fails that I/O", "", maps},
    {"an invalid number (`bs=4x`, `size=150%`)", "is read in part", "is refused, with its position", "", nullptr},
    {"exit status", "the number of failed jobs, 128 after a signal",
     "called fathom: 2 a usage error, 3 a permission, 4 a failed I/O, 128 + signal stopped", "call it as `fio`",
     nullptr},
};

constexpr std::string_view heading(Departure kind) {
  constexpr std::array<std::string_view, 6> kWords{"refused",          "would fail here",
                                                   "not built yet",    "accepted without effect",
                                                   "partly supported", "differs on purpose"};
  return kWords[static_cast<std::size_t>(kind)];
}

Difference of_error(const base::Error& error) {
  const bool missing = error.kind == base::ErrorKind::not_built;
  return {missing ? Departure::not_built : Departure::refused, error.what, error.cause, error.help, error.place};
}

void add_error(std::vector<Difference>& list, const base::Error& error) {
  list.push_back(of_error(error));
  for (const auto& other : error.also) add_error(list, other);
}

std::string where(const Difference& d) {
  return d.place && d.place->line > 0
             ? fmt::format("{}:{}:{}: ", base::text::printable(d.place->file), d.place->line, d.place->column)
             : "";
}

}  // namespace

std::span<const OnPurpose> differs_on_purpose() { return kRows; }

std::optional<Difference> departure_of(const Row& option, const Assignment& a, std::string_view value) {
  const auto status = option.texts.status;
  if (status != Status::ignored && status != Status::partial) return std::nullopt;
  // A choice with status partial lacks values, which are refused. Its other values behave as in fio.
  if (status == Status::partial && option.type == Type::choice) return std::nullopt;
  return Difference{status == Status::ignored ? Departure::ignored : Departure::partial,
                    a.value ? fmt::format("{}={}", option.name(), value) : std::string(option.name()),
                    std::string(option.texts.note), "", key_place(a)};
}

Explanation explain_compat(std::vector<Difference> used, const base::Error* refusal, const JobSet& jobs) {
  Explanation out{refusal == nullptr, {}};
  if (refusal != nullptr) add_error(out.differences, *refusal);
  for (auto& d : used) out.differences.push_back(std::move(d));
  const std::vector<Job> any{Job{}};  // for a refused text, the facts that concern every job
  const auto& concerned = jobs.jobs.empty() ? any : jobs.jobs;
  for (const auto& row : kRows) {
    std::vector<Job> met;
    if (row.concerns) std::copy_if(concerned.begin(), concerned.end(), std::back_inserter(met), row.concerns);
    if (!met.empty() && (row.concerns_several == nullptr || row.concerns_several(met)))
      out.differences.push_back({Departure::on_purpose, std::string(row.topic),
                                 fmt::format("fio: {}; fathom: {}", row.of_fio, row.of_fathom), std::string(row.as_fio),
                                 std::nullopt});
  }
  const auto earlier = [](const Difference& a, const Difference& b) { return a.kind < b.kind; };
  std::stable_sort(out.differences.begin(), out.differences.end(), earlier);
  return out;
}

void add_foreseen(Explanation& explanation, const std::vector<base::Error>& errors) {
  explanation.would_run = explanation.would_run && errors.empty();
  for (auto error = errors.rbegin(); error != errors.rend(); ++error)
    explanation.differences.insert(explanation.differences.begin(),
                                   {Departure::no_room, error->what, error->cause, error->help, error->place});
}

std::string explanation_text(const Explanation& explanation) {
  std::string out = explanation.would_run ? "It would run.\n" : "It would not run.\n";
  std::optional<Departure> of;
  for (const auto& d : explanation.differences) {
    if (of != d.kind) out += fmt::format("\n{}:\n", heading(d.kind));
    of = d.kind;
    out += fmt::format("  {}{}\n", where(d), base::text::printable(d.what));
    if (!d.why.empty()) out += fmt::format("      {}\n", base::text::printable(d.why));
    if (!d.remedy.empty())
      out += fmt::format("      {}: {}\n", d.kind == Departure::on_purpose ? "as fio" : "help",
                         base::text::printable(d.remedy));
  }
  return out;
}

std::string differs_on_purpose_markdown() {
  std::string out = "| what | fio | fathom | for fio's |\n|---|---|---|---|\n";
  for (const auto& row : kRows)
    out += fmt::format("| {} | {} | {} | {} |\n", row.topic, row.of_fio, row.of_fathom, row.as_fio);
  return out;
}

}  // namespace fathom::job::values
