// The fields of a run, the whole of a result: see fields.h. Beside what is told there and in job_fields.h a walker has
//   jobs(key, jobs)   a list of them
//   every_job(run)    what is the same for all of its jobs: see common() of job_fields.h
#pragma once
#include "result/paging_fields.h"
#include "result/sums/checks.h"

namespace fathom::result {

template <class W>
void walk(W& w, Like<GroupDirection> auto& dir) {
  w.field(Key("bytes", "of all jobs"), dir.bytes);
  w.field(Key("agg_bytes_per_s", "of all jobs together"), dir.agg_bytes_per_s);
  w.field(Key("min_bytes_per_s", "of the slowest"), dir.min_bytes_per_s);
  w.field(Key("max_bytes_per_s", "of the fastest"), dir.max_bytes_per_s);
  w.field(Key("min_run_ms", "the shortest run time"), dir.min_run_ms);
  w.field(Key("max_run_ms", "the longest"), dir.max_run_ms);
  if (!w.there("series", !dir.series.empty() || !dir.series_latency.empty())) return;
  w.field(Key("series_latency", "as of a job"), dir.series_latency);
  w.list(Key("series", "of several jobs together: sums, and percentiles of their latencies in one histogram"), "point",
         dir.series);
}

template <class W>
void walk(W& w, Like<Group> auto& group) {
  w.field(Key("group_id", "fio's number"), group.id);
  for (std::size_t d = 0; d < kDirs; ++d)
    if (w.present(kDirKeys[d], group.dirs[d].used)) w.part(Key(kDirKeys[d], "only what was used"), group.dirs[d]);
}

template <class W>
void walk(W& w, Like<Layout> auto& layout) {
  w.field(Key("job", "for which"), layout.job);
  w.field(Key("files", "made or extended"), layout.files);
  w.field(Key("bytes", "of them"), layout.bytes);
}

template <class W>
void walk(W& w, Like<Disk> auto& disk) {
  w.field(Key("name", "the kernel's"), disk.name);
  w.field(Key("read_ios", "of /sys/block/NAME/stat, end minus begin"), disk.read_ios);
  w.field(Key("write_ios", "the same"), disk.write_ios);
  w.field(Key("read_merges", "the same"), disk.read_merges);
  w.field(Key("write_merges", "the same"), disk.write_merges);
  w.field(Key("read_sectors", "of 512 bytes"), disk.read_sectors);
  w.field(Key("write_sectors", "of 512 bytes"), disk.write_sectors);
  w.field(Key("read_ticks_ms", "time of these requests"), disk.read_ticks_ms);
  w.field(Key("write_ticks_ms", "time of these requests"), disk.write_ticks_ms);
  w.field(Key("in_queue_ms", "weighted time"), disk.in_queue_ms);
  w.field(Key("util_percent", "of the time it was busy"), disk.util_percent);
  w.list(Key("members", "disks under a device-mapper or md device"), "member", disk.members);
}

template <class W>
void walk(W& w, Like<CpuIdleness> auto& idle) {
  w.field(Key("system_percent", "of all CPUs' time"), idle.system_percent);
  w.numbers(Key("cpu_percent", "of each CPU's time"), idle.cpu_percent);
  w.field(Key("each", "`percpu`: the text has each CPU"), idle.each);
  w.field(Key("unit_mean_us", "what a unit of work took, undisturbed"), idle.unit_mean_us);
  w.field(Key("unit_stddev_us", "of that"), idle.unit_stddev_us);
}

template <class W>
void walk_parts(W& w, Like<Run> auto& run) {
  if (w.present("cpu_idleness", run.cpu_idleness))
    w.part(Key("cpu_idleness", "`--idle-prof`; absent without it"), *run.cpu_idleness);
  if (w.present("audit", run.audit))
    w.part(Key("audit", "the bytes held against everybody else who counted them; absent with `--audit=off`"),
           *run.audit);
  if (w.present("breakdown", run.breakdown))
    w.part(Key("breakdown", "`--breakdown`: where the time of single I/Os passed; absent without it"), *run.breakdown);
  if (w.there("watching", !run.watching.empty()))
    w.list(
        Key("watching", "`--cost`: what each watcher costs each job, or the accesses of `paging`; absent without it"),
        "watcher", run.watching);
}

template <class W>
void walk_paging(W& w, Like<Run> auto& run) {
  if (w.present("paging", run.paging))
    w.part(Key("paging", "`fathom paging`: how long memory accesses took; then there are no jobs; absent otherwise"),
           *run.paging);
}

// Of a run and of a repetition.
template <class W>
void walk_surroundings(W& w, Like<Run> auto& run) {
  w.list(Key("groups", "fio's \"Run status group\""), "group", run.groups);
  w.list(Key("layouts", "files that were made or extended before a job started"), "layout", run.layouts);
  w.list(Key("disks", "that the run's targets lie on"), "disk", run.disks);
}

// The repetition that is shown is the run but for its own score.
inline bool is_shown(const Run& repetition, const Run& run) {
  if (repetition.jobs != run.jobs || repetition.group_members != run.group_members) return false;
  if (!repetition.paging || !run.paging) return repetition.paging == run.paging;
  auto paging = *run.paging;
  paging.score = repetition.paging->score;
  return paging == *repetition.paging;
}

template <class W, class R>
void walk_repetition(W& w, R& run, const Run& whole) {
  bool shown = is_shown(run, whole);
  w.field(
      Key("shown", "it is the one above: its `jobs`, `group_members` and `paging` (but for the `score`) stand there"),
      shown);
  w.known(Key("time_epoch_ms", "when it began"), run.time_epoch_ms);
  w.known(Key("end_epoch_ms", "when its jobs were over"), run.end_epoch_ms);
  if (w.there("program", run.program != Program{})) w.part(Key("program", "as above"), run.program);
  if (w.there("host", run.host != HostFacts{})) w.part(Key("host", "as above"), run.host);
  if (w.there("settle", run.settle != Settle{})) w.part(Key("settle", "as above"), run.settle);
  w.field(Key("interrupted", "by a signal"), run.interrupted);
  w.pairs(Key("global_options", "as above"), "option", run.global_options);
  if constexpr (!std::is_const_v<R>)
    if (shown) run.jobs = whole.jobs, run.group_members = whole.group_members, run.paging = whole.paging;
  if (w.there("jobs", !shown)) {
    w.every_job(run);
    w.jobs(Key("jobs", "raw"), run.jobs);
    w.jobs(Key("group_members", "raw"), run.group_members);
  }
  walk_surroundings(w, run);
  walk_parts(w, run);
  if (w.there("jobs", !shown)) walk_paging(w, run);
  if (w.there("score", shown && run.paging) && run.paging)
    w.part(Key("score", "of `fathom paging`"), run.paging->score);
  w.list(Key("findings", "of the repetition"), "finding", run.findings);
  w.list(Key("errors", "of the repetition"), "error", run.errors);
}

template <class W>
void walk(W& w, Like<Run> auto& run) {
  w.field(Key("schema_version", "see above"), run.schema_version);
  w.known(Key("run_id", "a UUID"), run.run_id);
  w.known(Key("time_epoch_ms", "when the run began"), run.time_epoch_ms);
  w.known(Key("end_epoch_ms", "when its jobs were over; of `paging`, which has its own times, null"), run.end_epoch_ms);
  w.maybe(Key("utc_offset_s", "of the time zone that it was reported in, east of UTC"), run.utc_offset_s);
  w.part(Key("program", "that wrote the file"), run.program);
  w.part(Key("host", "the machine, when the run began"), run.host);
  w.part(Key("settle", "`--settle`"), run.settle);
  w.field(Key("interrupted", "stopped by a signal; its numbers cover what was done"), run.interrupted);
  w.pairs(Key("global_options", "of the job file's [global]"), "option", run.global_options);
  w.every_job(run);
  w.jobs(Key("jobs", "one for each entry of fio's `jobs[]`, in the same order"), run.jobs);
  w.jobs(Key("group_members",
             "the single jobs under the `group_reporting` sums, in order: a sum with `members` = n took the next n"),
         run.group_members);
  walk_surroundings(w, run);
  walk_parts(w, run);
  walk_paging(w, run);
  w.derived(Key("checks",
                "`passed`, `not_checked` (another program's result), `warnings`, `failed`: the worst of `findings`, "
                "`errors` and "
                "`audit.verdict`",
                15),
            [&] { return std::string(name(sums::checks_of(run).all)); });
  w.derived_texts(
      Key("checks_decided_by", "ids of findings; `interrupted`, `errors`, `audit`, `import`: of this result", 15),
      [&] { return sums::checks_of(run).decided_by; });
  w.list(Key("findings", "what the checks found"), "finding", run.findings);
  w.list(Key("errors", "failed I/Os: the first of each job"), "error", run.errors);
  w.list(Key("repeated", "`--repeat`: one number over the repetitions"), "metric", run.repeated);
  w.repetitions(Key("repetitions", "`--repeat`: the raw result of every repetition"), run.repetitions, run);
}

}  // namespace fathom::result
