// What concerns the whole run: program, host, settling, findings, errors, repetitions. Jobs are in fathom_json_job.cc.
#include "report/fathom_json.h"

#include "report/derived.h"
#include "report/fathom_json_audit.h"
#include "report/fathom_json_breakdown.h"
#include "report/fathom_json_job.h"
#include "report/json_fields.h"
#include "report/paging_json.h"

namespace fathom::report {
namespace {

void write_program(JsonWriter& w, const result::Program& program) {
  w.begin_object("program");
  w.field("name", program.name);
  w.field("version", program.version);
  w.field("commit", program.commit);
  w.field("compiler", program.compiler);
  w.begin_array("argv");
  for (const auto& word : program.argv) w.element(word);
  w.end_array();
  w.field("fio_mode", program.fio_mode);
  w.end_object();
}

void write_settle(JsonWriter& w, const result::Settle& settle) {
  w.begin_object("settle");
  w.field("asked", settle.asked);
  w.field("settled", settle.settled);
  w.field("waited_s", settle.waited_s);
  w.field("background_cpu_percent", settle.background_cpu_percent);
  w.field("background_disk_iops", settle.background_disk_iops);
  w.field("background_disk_bytes_per_s", settle.background_disk_bytes_per_s);
  w.end_object();
}

void write_findings(JsonWriter& w, const std::vector<result::Finding>& findings) {
  w.begin_array("findings");
  for (const auto& finding : findings) {
    w.begin_object();
    w.field("id", finding.id);
    w.field("severity", result::name(finding.severity));
    w.field("job", finding.job);
    w.field("evidence", finding.evidence);
    w.field("remedy", finding.remedy);
    w.end_object();
  }
  w.end_array();
}

void write_repeated(JsonWriter& w, const std::vector<result::RepeatedMetric>& metrics) {
  w.begin_array("repeated");
  for (const auto& metric : metrics) {
    w.begin_object();
    w.field("job", metric.job);
    w.field("direction", metric.direction);
    w.field("metric", metric.metric);
    w.field("unit", metric.unit);
    w.begin_array("values");
    for (double value : metric.values) w.element(value);
    w.end_array();
    w.field("mean", metric.mean);
    w.field("stddev", metric.stddev);
    w.field("median", metric.median);
    write_spread(w, has_interval(metric), metric.ci95_low, metric.ci95_high);
    w.end_object();
  }
  w.end_array();
}

void write_jobs(JsonWriter& w, std::string_view key, const std::vector<result::Job>& jobs, JobDetail detail) {
  w.begin_array(key);
  for (const auto& job : jobs) write_fathom_job(w, job, detail);
  w.end_array();
}

void write_repetition(JsonWriter& w, const result::Run& run) {
  w.begin_object();
  w.field("time_epoch_ms", run.time_epoch_ms);
  w.field("interrupted", run.interrupted);
  write_jobs(w, "jobs", run.jobs, {.latencies = true, .histograms = true, .series = false});
  write_jobs(w, "group_members", run.group_members, {.latencies = true, .histograms = true, .series = false});
  write_io_errors(w, run.errors);
  if (run.audit) write_audit(w, *run.audit);
  if (run.paging) write_paging(w, *run.paging, true);
  write_findings(w, run.findings);
  w.end_object();
}

// fio's "Run status group": only the directions that were used.
void write_groups(JsonWriter& w, const std::vector<result::Group>& groups) {
  constexpr const char* kNames[] = {"read", "write", "trim"};
  w.begin_array("groups");
  for (const auto& group : groups) {
    w.begin_object();
    w.field("group_id", group.id);
    for (std::size_t d = 0; d < result::kDirs; ++d) {
      const auto& g = group.dirs[d];
      if (!g.used) continue;
      w.begin_object(kNames[d]);
      w.field("bytes", g.bytes);
      w.field("agg_bytes_per_s", g.agg_bytes_per_s);
      w.field("min_bytes_per_s", g.min_bytes_per_s);
      w.field("max_bytes_per_s", g.max_bytes_per_s);
      w.field("min_run_ms", g.min_run_ms);
      w.field("max_run_ms", g.max_run_ms);
      w.end_object();
    }
    w.end_object();
  }
  w.end_array();
}

}  // namespace

void write_spread(JsonWriter& w, bool interval, double low, double high) {
  w.field(interval ? "ci95_low" : "range_low", low);
  w.field(interval ? "ci95_high" : "range_high", high);
}

void write_fathom(JsonWriter& w, const result::Run& run, bool bins) {
  w.begin_object("fathom");
  w.field("schema_version", run.schema_version);
  if (run.end_epoch_ms > 0) {
    w.field("time_epoch_ms", run.time_epoch_ms);
    w.field("end_epoch_ms", run.end_epoch_ms);
  }
  write_program(w, run.program);
  JsonFields(w).part("host", run.host);
  write_settle(w, run.settle);
  w.field("interrupted", run.interrupted);
  write_jobs(w, "jobs", run.jobs, {.latencies = bins, .histograms = bins, .series = true});
  write_jobs(w, "group_members", run.group_members, {.latencies = true, .histograms = bins, .series = false});
  write_groups(w, run.groups);
  if (run.audit) write_audit(w, *run.audit);
  if (run.breakdown) write_breakdown(w, *run.breakdown, bins);
  if (run.paging) write_paging(w, *run.paging, bins);
  write_findings(w, run.findings);
  write_io_errors(w, run.errors);
  write_repeated(w, run.repeated);
  w.begin_array("repetitions");
  for (const auto& repetition : run.repetitions) write_repetition(w, repetition);
  w.end_array();
  w.end_object();
}

}  // namespace fathom::report
