// The fields of a run, that is, of a whole result: see fields.h. In addition to that list and job_fields.h a walker has
//   jobs(key, jobs)   a list of them
//   every_job(run)    values that all its jobs have in common: see common() of job_fields.h
#pragma once
#include "result/paging_fields.h"
#include "result/sums/checks.h"

namespace fathom::result {

template <class W>
void walk(W& w, Like<GroupDirection> auto& dir) {
  w.field(Key("bytes", "bytes of all jobs"), dir.bytes);
  w.field(Key("agg_bytes_per_s", "rate of all jobs together"), dir.agg_bytes_per_s);
  w.field(Key("min_bytes_per_s", "rate of the slowest job"), dir.min_bytes_per_s);
  w.field(Key("max_bytes_per_s", "rate of the fastest job"), dir.max_bytes_per_s);
  w.field(Key("min_run_ms", "shortest run time"), dir.min_run_ms);
  w.field(Key("max_run_ms", "longest run time"), dir.max_run_ms);
  if (!w.there("series", !dir.series.empty() || !dir.series_latency.empty())) return;
  w.field(Key("series_latency", "latency in `series`, as for a job"), dir.series_latency);
  w.list(Key("series", "of several jobs together: sums, and percentiles of their latencies in one histogram"), "point",
         dir.series);
  if (w.there("series_bands", !dir.series_bands.empty()))
    w.list(Key("series_bands", "histogram of each interval, as for a job"), "band", dir.series_bands);
}

template <class W>
void walk(W& w, Like<Group> auto& group) {
  w.field(Key("group_id", "group number of fio"), group.id);
  for (std::size_t d = 0; d < kDirs; ++d)
    if (w.present(kDirKeys[d], group.dirs[d].used))
      w.part(Key(kDirKeys[d], "only if the direction was used"), group.dirs[d]);
}

template <class W>
void walk(W& w, Like<Layout> auto& layout) {
  w.field(Key("job", "job that needs the files"), layout.job);
  w.field(Key("files", "files that were created or extended"), layout.files);
  w.field(Key("bytes", "bytes of these files"), layout.bytes);
}

template <class W>
void walk(W& w, Like<Disk> auto& disk) {
  w.field(Key("name", "kernel name of the disk"), disk.name);
  w.field(Key("read_ios", "reads in /sys/block/NAME/stat, end minus begin"), disk.read_ios);
  w.field(Key("write_ios", "writes, likewise"), disk.write_ios);
  w.field(Key("read_merges", "merged reads, likewise"), disk.read_merges);
  w.field(Key("write_merges", "merged writes, likewise"), disk.write_merges);
  w.field(Key("read_sectors", "sectors of 512 bytes that were read"), disk.read_sectors);
  w.field(Key("write_sectors", "sectors of 512 bytes that were written"), disk.write_sectors);
  w.field(Key("read_ticks_ms", "time of the reads"), disk.read_ticks_ms);
  w.field(Key("write_ticks_ms", "time of the writes"), disk.write_ticks_ms);
  w.field(Key("in_queue_ms", "weighted time of the requests"), disk.in_queue_ms);
  w.field(Key("util_percent", "percentage of the time in which the disk was busy"), disk.util_percent);
  w.list(Key("members", "disks under a device-mapper or md device"), "member", disk.members);
}

template <class W>
void walk(W& w, Like<CpuIdleness> auto& idle) {
  w.field(Key("system_percent", "idle percentage of the time of all CPUs"), idle.system_percent);
  w.numbers(Key("cpu_percent", "idle percentage of the time of each CPU"), idle.cpu_percent);
  w.field(Key("each", "`percpu`: the text prints each CPU"), idle.each);
  w.field(Key("unit_mean_us", "mean time of an undisturbed unit of work"), idle.unit_mean_us);
  w.field(Key("unit_stddev_us", "standard deviation of that time"), idle.unit_stddev_us);
}

template <class W>
void walk_parts(W& w, Like<Run> auto& run) {
  if (w.present("cpu_idleness", run.cpu_idleness))
    w.part(Key("cpu_idleness", "`--idle-prof`; absent without it"), *run.cpu_idleness);
  if (w.present("audit", run.audit))
    w.part(Key("audit", "bytes of the run, compared with all other counters of them; absent with `--audit=off`"),
           *run.audit);
  if (w.present("breakdown", run.breakdown))
    w.part(Key("breakdown", "`--breakdown`: parts of the latency of single I/Os; absent without it"), *run.breakdown);
  if (w.there("watching", !run.watching.empty()))
    w.list(Key("watching",
               "`--cost`: overhead of each probe for each job, or for the accesses of `paging`; absent without it"),
           "watcher", run.watching);
}

template <class W>
void walk_paging(W& w, Like<Run> auto& run) {
  if (w.present("paging", run.paging))
    w.part(Key("paging", "`fathom paging`: latency of memory accesses; there are no jobs then; absent otherwise"),
           *run.paging);
}

// For a run and for a repetition.
template <class W>
void walk_surroundings(W& w, Like<Run> auto& run) {
  w.list(Key("groups", "fio's \"Run status group\""), "group", run.groups);
  w.list(Key("layouts", "files that were created or extended before a job started"), "layout", run.layouts);
  w.list(Key("disks", "disks of the run's targets"), "disk", run.disks);
}

// The shown repetition equals the run, except for its own score.
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
  w.field(Key("shown",
              "it is the run at the top level, which has its `jobs`, `group_members` and `paging` (except for the "
              "`score`)"),
          shown);
  w.known(Key("time_epoch_ms", "start of the repetition"), run.time_epoch_ms);
  w.known(Key("end_epoch_ms", "end of its jobs"), run.end_epoch_ms);
  if (w.there("program", run.program != Program{})) w.part(Key("program", "as in a run"), run.program);
  if (w.there("host", run.host != HostFacts{})) w.part(Key("host", "as in a run"), run.host);
  if (w.there("settle", run.settle != Settle{})) w.part(Key("settle", "as in a run"), run.settle);
  w.field(Key("interrupted", "stopped by a signal"), run.interrupted);
  w.pairs(Key("global_options", "as in a run"), "option", run.global_options);
  if constexpr (!std::is_const_v<R>)
    if (shown) run.jobs = whole.jobs, run.group_members = whole.group_members, run.paging = whole.paging;
  if (w.there("jobs", !shown)) {
    w.every_job(run);
    w.jobs(Key("jobs", "raw results"), run.jobs);
    w.jobs(Key("group_members", "raw results"), run.group_members);
  }
  walk_surroundings(w, run);
  walk_parts(w, run);
  if (w.there("jobs", !shown)) walk_paging(w, run);
  if (w.there("score", shown && run.paging) && run.paging)
    w.part(Key("score", "score of `fathom paging`"), run.paging->score);
  w.list(Key("findings", "findings of the repetition"), "finding", run.findings);
  w.list(Key("errors", "errors of the repetition"), "error", run.errors);
}

template <class W>
void walk(W& w, Like<Run> auto& run) {
  w.field(Key("schema_version", "see above"), run.schema_version);
  w.known(Key("run_id", "UUID of the run"), run.run_id);
  w.known(Key("time_epoch_ms", "start of the run"), run.time_epoch_ms);
  w.known(Key("end_epoch_ms", "end of its jobs; null with `paging`, which has its own times"), run.end_epoch_ms);
  w.maybe(Key("utc_offset_s", "offset of the report's time zone from UTC, east positive"), run.utc_offset_s);
  w.part(Key("program", "program that wrote the file"), run.program);
  w.part(Key("host", "the machine at the start of the run"), run.host);
  w.part(Key("settle", "result of `--settle`"), run.settle);
  w.field(Key("interrupted", "stopped by a signal; the numbers cover what was done"), run.interrupted);
  w.pairs(Key("global_options", "options in [global] of the job file"), "option", run.global_options);
  w.every_job(run);
  w.jobs(Key("jobs", "one per entry of fio's `jobs[]`, in the same order"), run.jobs);
  w.jobs(Key("group_members",
             "single jobs of the `group_reporting` sums, in order: a sum with `members` = n took the next n"),
         run.group_members);
  walk_surroundings(w, run);
  walk_parts(w, run);
  walk_paging(w, run);
  w.derived(Key("checks",
                "worst of `findings`, `errors` and `audit.verdict`: `passed`, `not_checked` (result of another "
                "program, report in mid-run), `warnings`, `failed`",
                15),
            [&] { return std::string(name(sums::checks_of(run, run.repetitions).all)); });
  w.derived_texts(Key("checks_decided_by",
                      "ids of findings, or parts of this result: `interrupted`, `errors`, `audit`, `import`, "
                      "`repetitions`, `running`",
                      15),
                  [&] { return sums::checks_of(run, run.repetitions).decided_by; });
  w.list(Key("findings", "findings of the checks"), "finding", run.findings);
  w.list(Key("errors", "failed I/Os: the first ones of each job"), "error", run.errors);
  w.list(Key("repeated", "`--repeat`: one number over the repetitions"), "metric", run.repeated);
  w.repetitions(Key("repetitions", "`--repeat`: raw results of all repetitions"), run.repetitions, run);
}

}  // namespace fathom::result
