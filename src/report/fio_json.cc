// json and json+: fio's document, key by key, with all that fathom adds under the one key "fathom", last. Readers of
// fio's JSON ignore keys that they do not know, so the two live in one file. docs/schema.md describes both halves.
#include <fmt/format.h>

#include "report/derived.h"
#include "report/disks.h"
#include "report/fathom_json.h"
#include "report/fio_json_job.h"
#include "report/formats.h"
#include "report/json_writer.h"
#include "report/numbers.h"
#include "result/measured.h"

namespace fathom::report {
namespace {

void write_disk(JsonWriter& w, const DiskRow& row) {
  const auto& disk = *row.disk;
  w.begin_object();
  w.field("name", disk.name);
  w.field("read_ios", disk.read_ios);
  w.field("write_ios", disk.write_ios);
  w.field("read_sectors", disk.read_sectors);
  w.field("write_sectors", disk.write_sectors);
  w.field("read_merges", disk.read_merges);
  w.field("write_merges", disk.write_merges);
  w.field("read_ticks", disk.read_ticks_ms);
  w.field("write_ticks", disk.write_ticks_ms);
  w.field("in_queue", disk.in_queue_ms);
  w.field("util", disk.util_percent);
  if (row.members) {
    const auto& mean = *row.members;
    w.field("aggr_read_ios", mean.read_ios);
    w.field("aggr_write_ios", mean.write_ios);
    w.field("aggr_read_sectors", mean.read_sectors);
    w.field("aggr_write_sectors", mean.write_sectors);
    w.field("aggr_read_merges", mean.read_merges);
    w.field("aggr_write_merge", mean.write_merges);
    w.field("aggr_read_ticks", mean.read_ticks_ms);
    w.field("aggr_write_ticks", mean.write_ticks_ms);
    w.field("aggr_in_queue", mean.in_queue_ms);
    w.field("aggr_util", mean.util_percent);
  }
  w.end_object();
}

void write_disks(JsonWriter& w, const result::Run& run) {
  const auto rows = disk_rows(run.disks);
  if (rows.empty()) return;
  w.begin_array("disk_util");
  for (const auto& row : rows) write_disk(w, row);
  w.end_array();
}

void write_idleness(JsonWriter& w, const result::Run& run) {
  if (!run.cpu_idleness) return;
  const auto& idle = *run.cpu_idleness;
  w.begin_object("cpu_idleness");
  w.field("system", idle.system_percent);
  for (std::size_t i = 0; i < idle.cpu_percent.size() && idle.each; ++i)
    w.field(fmt::format("cpu-{}", i), idle.cpu_percent[i]);
  w.field("unit_mean", idle.unit_mean_us);
  w.field("unit_stddev", idle.unit_stddev_us);
  w.end_object();
}

std::string document(const result::Run& run, bool bins) {
  JsonWriter w;
  w.begin_object();
  w.field("fio version", run.program.fio_version);
  const std::uint64_t epoch_ms = reported_epoch_ms(run);
  w.field("timestamp", epoch_ms / 1000);
  w.field("timestamp_ms", epoch_ms);
  w.field("time", calendar(epoch_ms, run.utc_offset_s));
  write_options(w, "global options", run.global_options);
  w.begin_array("jobs");
  for (const auto& job : run.jobs)
    if (!job.reporting.hidden) write_fio_job(w, run, job, bins);
  w.end_array();
  write_disks(w, run);
  write_idleness(w, run);
  write_fathom(w, run, bins);
  w.end_object();
  return w.take();
}

}  // namespace

std::string json(const result::Run& run) { return document(run, false); }
std::string json_plus(const result::Run& run) { return document(run, true); }

}  // namespace fathom::report
