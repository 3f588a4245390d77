// A result whose every string is hostile: no text report lets a byte of it act on a terminal or begin a line.
#include "report/parts/shown.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "report/filled_run.h"
#include "report/formats.h"
#include "report/paging_formats.h"
#include "report/paging_run.h"
#include "report/sample_run.h"

namespace fathom::report::parts {
namespace {

const std::string kHostile =
    "A\x1b]0;x\x07\rB\nEVIL \xC2\x9B"
    "2J\xFF";

void spoil(std::string& text) { text += kHostile; }

void spoil(result::Disk& disk) {
  spoil(disk.name);
  for (auto& member : disk.members) spoil(member);
}

void spoil(result::Job& job) {
  for (auto* text : {&job.name, &job.description, &job.engine, &job.rw, &job.stamps.placement, &job.clock.source,
                     &job.clock.calibration, &job.clock.cpus_tested, &job.clock.reason})
    spoil(*text);
  for (auto& error : job.errors)
    for (auto* text : {&error.op, &error.file, &error.message, &error.job, &error.what, &error.cause, &error.remedy,
                       &error.place.emplace(result::Place{"", 3, 2}).file})
      spoil(*text);
  if (!job.queue) return;
  spoil(job.queue->sq_copy);
  for (auto& device : job.queue->devices)
    for (auto* text : {&device.name, &device.model, &device.serial, &device.firmware}) spoil(*text);
}

result::Run spoilt(result::Run run) {
  for (auto* text : {&run.program.version, &run.program.commit, &run.program.fio_version, &run.host.hostname})
    spoil(*text);
  for (auto& job : run.jobs) spoil(job);
  for (auto& job : run.group_members) spoil(job);
  for (auto& disk : run.disks) spoil(disk);
  for (auto& error : run.errors) spoil(error.message);
  for (auto& metric : run.repeated)
    for (auto* text : {&metric.job, &metric.direction, &metric.metric, &metric.unit}) spoil(*text);
  run.layouts.push_back({"l" + kHostile, 1, 1});
  run.findings.push_back({"i" + kHostile, result::Severity::warning, "j" + kHostile, "e" + kHostile, "r" + kHostile});
  run.audit.emplace();
  run.audit->line = kHostile;
  run.audit->witnesses.push_back({});
  auto& witness = run.audit->witnesses.back();
  witness.verdict = result::Verdict::disagrees;
  for (auto* text : {&witness.source, &witness.subject, &witness.direction, &witness.cause, &witness.diagnosis})
    spoil(*text);
  witness.terms.push_back({"t" + kHostile, 1, kHostile});
  run.breakdown.emplace();
  run.breakdown->asked = true;
  run.breakdown->cause = kHostile;
  run.breakdown->devices = run.breakdown->tracepoints = {kHostile};
  run.breakdown->classes.emplace_back();
  run.breakdown->classes.back().job = kHostile;
  return run;
}

void expect_harmless(const std::string& text, const std::string& where) {
  for (const char bad : {'\x1b', '\x07', '\r', '\xFF'}) EXPECT_EQ(text.find(bad), std::string::npos) << where;
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos) << where;
  EXPECT_EQ(text.find("\nEVIL"), std::string::npos) << where << "\n" << text;
  EXPECT_NE(text.find("\\x1b"), std::string::npos) << where;
}

TEST(HostileStrings, NoJobReportPrintsControlCharacters) {
  const std::set<std::string_view> texts = {"normal",   "brief",    "verbose",     "plot", "plot-ascii",
                                            "rows-csv", "markdown", "openmetrics", "hdr",  "spdk",
                                            "spdk-l",   "spdk-ll",  "spdk-stats"};
  for (const auto& run : {simple_run(), grouped_run(), troubled_run(), queue_run()})
    for (const auto& format : formats())
      if (texts.count(format.name) > 0 && !(format.name.starts_with("spdk") && !run.jobs[0].queue))
        expect_harmless(format.render(spoilt(run)), std::string(format.name));
}

TEST(HostileStrings, NoPagingReportPrintsControlCharacters) {
  for (auto run : {paging_run(), table2_run()}) {
    for (auto& [name, value] : run.paging->conditions) spoil(name), spoil(value);
    for (auto* text : {&run.paging->pattern, &run.paging->memory, &run.paging->fill, &run.paging->score.how})
      spoil(*text);
    for (auto& column : run.paging->table2) spoil(column.name), spoil(column.media);
    for (auto& device : run.paging->devices) spoil(device.device), spoil(device.cause);
    expect_harmless(find_paging_format("text")->render(spoilt(run)), "text");
    expect_harmless(find_paging_format("text-ascii")->render(spoilt(run)), "text-ascii");
  }
}

TEST(HostileStrings, NoFieldOfAPagingRunPrintsControlCharacters) {
  result::Run run;
  run.paging.emplace();
  Filler filler;
  walk(filler, run);
  for (auto& finding : run.findings) spoil(finding.evidence);
  for (auto& worker : run.paging->devices) spoil(worker.device);
  const auto harmless = shown(run);
  for (const auto& finding : harmless.findings) EXPECT_EQ(finding.evidence.find('\n'), std::string::npos);
  for (const auto& device : harmless.paging->devices) EXPECT_EQ(device.device.find('\x1b'), std::string::npos);
}

// JSON has escapes of its own: the name comes back as it was, as far as it is UTF-8.
TEST(HostileStrings, JsonEscapesAndKeepsTheName) {
  auto run = simple_run();
  run.jobs[0].name =
      "a\x1b\xC2\x9B"
      "b";
  const auto text = json(run);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos);
  EXPECT_NE(text.find("\"a\\u001b\\u009bb\""), std::string::npos);
}

}  // namespace
}  // namespace fathom::report::parts
