// Out and in again: what report/ writes import/ reads, to the same result and so to the same bytes in every format;
// pmbench's own (synthetic) files keep every number of every element of theirs. Here because no room includes both.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "import/files.h"
#include "import/pmbench/pmbench_xml.h"
#include "report/filled_run.h"
#include "report/paging_formats.h"
#include "report/paging_run.h"

namespace fathom {
namespace {

result::Run read_xml(const std::string& text) {
  auto run = import::pmbench::read_pmbench_xml(text, "x.xml");
  EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().what);
  return run.ok() ? *run : result::Run{};
}

// The first line that differs, not two whole files.
void expect_same_lines(const std::string& written, const std::string& again, const std::string& what) {
  std::istringstream before(written), after(again);
  std::string a, b;
  for (int line = 1; std::getline(before, a); ++line) {
    ASSERT_TRUE(std::getline(after, b)) << what << " ends before line " << line;
    ASSERT_EQ(a, b) << what << ", line " << line;
  }
  EXPECT_FALSE(std::getline(after, b)) << what;
}

// In every format, XML among them, and json+, which has every field: there is no exception.
void expect_round_trip(const result::Run& run) {
  const auto back = read_xml(report::pmbench_xml(run));
  ASSERT_TRUE(back.paging);
  for (const auto& format : report::paging_formats()) {
    auto again = back;
    // A byte that is not UTF-8 becomes U+FFFD in XML and JSON; only the page shows it, by its code.
    if (format.name == "html") again.host.hostname = run.host.hostname;
    expect_same_lines(format.render(run), format.render(again), std::string(format.name));
  }
}

TEST(PagingXml, ARunSurvivesWritingAndReading) { expect_round_trip(report::paging_run()); }

// Pressure, device times, audit, series, repetitions: every field is set, and each to another value.
TEST(PagingXml, EveryFieldSurvivesWritingAndReading) { expect_round_trip(report::filled_run()); }

// Where a field of the JSON is at its default in filled_run(), the lists of result/paging_fields.h do not have it: it
// would be lost. (Jobs, groups, disks and layouts are of `fathom run`, which has no XML; at_least and shown are computed.)
void expect_filled(const nlohmann::json& value, const std::string& path) {
  constexpr const char* kOthers[] = {"/jobs",  "/every_job", "/global_options", "/group_members", "/groups",
                                     "/disks", "/layouts",   "/end_epoch_ms",   "/at_least",      "/shown"};
  for (const auto* end : kOthers)
    if (path.ends_with(end)) return;
  if (value.is_null()) {
    ADD_FAILURE() << path << " is null";
  } else if (value.is_structured()) {
    EXPECT_FALSE(value.empty()) << path;
    for (const auto& [key, inner] : value.items()) expect_filled(inner, path + "/" + key);
  } else if (value.is_string()) {
    EXPECT_NE(value.get<std::string>(), "") << path;
  } else if (value.is_boolean()) {
    EXPECT_TRUE(value.get<bool>()) << path;
  } else {
    EXPECT_NE(value.get<double>(), 0) << path;
  }
}

TEST(PagingXml, TheFilledRunSetsEveryJsonField) {
  const auto document = nlohmann::json::parse(report::json_plus(report::filled_run()));
  expect_filled(document.at("fathom"), "");
}

// The table, the runs that it is of, and what pmbench's elements can hold: the first run.
TEST(PagingXml, ABreakdownSurvivesWritingAndReading) {
  auto run = report::table2_run();
  run.repetitions = {report::paging_run(), report::paging_run()};
  run.repetitions[1].paging->pressure.swaps[0].name = "file:/var/tmp/swap:2G";
  run.repetitions[1].findings.clear();
  expect_round_trip(run);
  const auto back = read_xml(report::pmbench_xml(run));
  ASSERT_EQ(back.paging->table2.size(), 4u);
  EXPECT_EQ(back.paging->table2[1].rows[3].values, run.paging->table2[1].rows[3].values);
  ASSERT_EQ(back.repetitions.size(), 2u);
  EXPECT_EQ(back.repetitions[0].paging->series.size(), run.repetitions[0].paging->series.size());
  EXPECT_TRUE(back.paging->workers.empty());
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(report::pmbench_xml(run).c_str()));
  const auto report = document.child("pmbenchmark").child("report");
  EXPECT_STREQ(report.child("signature").child("params").child_value("jobs"), "2");
  EXPECT_EQ(report.child("result").select_nodes("result_thread").size(), 2u);
  EXPECT_GT(report.child("statistics").child("histogram").child("histo_bucket").select_nodes("//hex[. > 0]").size(),
            9u);
}

TEST(PagingXml, AnInterruptedBreakdownSurvivesWritingAndReading) {
  auto run = report::table2_run();
  run.paging->table2.clear();
  run.interrupted = run.paging->interrupted = true;
  run.repetitions = {report::paging_run()};
  run.repetitions[0].paging->workers[1].error = 9;
  expect_round_trip(run);
}

// What an older fathom left out is missing from its file written again, and that is still said, once.
TEST(PagingXml, FieldsAnOlderFileLacksAreReportedOnce) {
  const auto run = read_xml(import::sample("../corpus_pmbench_xml/ours.xml"));
  expect_round_trip(run);
  const auto said = report::json(read_xml(report::pmbench_xml(run)));
  const auto at = said.find("import.left_out");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(said.find("import.left_out", at + 1), std::string::npos);
}

TEST(PagingXml, TextsSurviveWritingAndReading) {
  for (const char* text : {" ", "\t", " a ", "a\r\nb", "<&>\"'", "\xC3\xBC", "]]>", "-->"}) {
    auto run = report::paging_run();
    auto& p = *run.paging;
    p.clock.calibration = run.findings[0].id = p.pressure.changed[0] = text;
    p.conditions = {{text, text}};
    p.vmstat = {{text, 1}};
    p.series[0].kernel = {{text, 1}};
    p.table2 = {{text, {}, text, 0}};
    expect_round_trip(run);
  }
}

TEST(PagingXml, NanAndInfinityAreReadAsZero) {
  auto run = report::paging_run();
  run.paging->score.low = std::numeric_limits<double>::quiet_NaN();
  run.paging->score.high = run.paging->devices[0].seen_share = std::numeric_limits<double>::infinity();
  const auto written = report::pmbench_xml(run);
  const auto back = read_xml(written);
  EXPECT_EQ(back.paging->score.high, 0);
  expect_same_lines(written, report::pmbench_xml(back), "xml");
  EXPECT_NE(report::json_plus(run).find("\"low_per_s\" : null"), std::string::npos);  // XML has no such word
}

// "-" in the table: a point that does not have the counter is another than one that has none of it.
TEST(PagingXml, PointsMayHaveDifferentCounters) {
  auto run = report::paging_run();
  auto& series = run.paging->series;
  series.resize(3);
  series[0].kernel = {{"pswpin", 0}, {"zswpin", 3}};
  series[0].pressure_percent = {};
  series[1].kernel = {{"pswpout", 7}};
  series[1].pressure_percent = {{"memory.some", 0.5}};
  series[2].kernel = {};
  const auto back = read_xml(report::pmbench_xml(run));
  ASSERT_EQ(back.paging->series.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.paging->series[i].kernel, series[i].kernel) << i;
    EXPECT_EQ(back.paging->series[i].pressure_percent, series[i].pressure_percent) << i;
  }
}

TEST(PagingXml, AnEmptyRunSurvivesWritingAndReading) {
  result::Run run = report::empty_run();
  run.paging.emplace();
  run.paging->access = "touch";
  run.paging->cold = true;
  run.paging->workers.emplace_back();
  run.paging->start_epoch_ms = 1000;
  expect_round_trip(run);
}

TEST(PagingXml, HugeValuesSurviveWritingAndReading) {
  auto run = report::paging_run();
  auto& p = *run.paging;
  result::PagingThread worker;
  report::add(worker.latency[2][0], ~std::uint64_t{0}, 1);
  worker.accesses[0] = 1;
  worker.wall_ns = ~std::uint64_t{0};
  report::set_workers(p, {worker});
  p.read_percent = 100;
  p.seed = ~std::uint64_t{0};
  run.host.hostname = "<&\"'\xff>";
  expect_round_trip(run);
  run.host.hostname = "\x01";  // XML has no such character, JSON has: the one difference
  expect_same_lines(report::pmbench_xml(run), report::pmbench_xml(read_xml(report::pmbench_xml(run))), "xml");
  EXPECT_EQ(read_xml(report::pmbench_xml(run)).paging->latency[2][0].moments_ns.max, ~std::uint64_t{0});
}

TEST(PagingXml, LatencyClassesSurviveWritingAndReading) {
  const auto run = report::paging_run();
  const auto back = read_xml(report::pmbench_xml(run));
  ASSERT_TRUE(back.paging);
  for (std::size_t c = 0; c < result::kAccessClasses; ++c)
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
      const auto& a = run.paging->latency[c][d];
      const auto& b = back.paging->latency[c][d];
      EXPECT_EQ(a.histogram_ns.bins(), b.histogram_ns.bins());
      EXPECT_EQ(a.moments_ns.stddev(), b.moments_ns.stddev());
      EXPECT_EQ(a.moments_ns.min(), b.moments_ns.min());
    }
  EXPECT_TRUE(back.paging->classified);
  EXPECT_EQ(back.findings.size(), run.findings.size()) << "nothing is left out, and nothing is said to be";
}

TEST(PagingXml, OptionsAndPressureSurviveWritingAndReading) {
  auto run = report::paging_run();
  auto& p = *run.paging;
  p.duration_s = 0.2;
  p.read_percent = -1;
  p.fill = "compressible:70";
  p.conditions = {{"hot-access", "95"}, {"permute", ""}};
  p.pressure.not_possible = {"no PSI", "<no> \"cgroup\""};
  expect_round_trip(run);
  const auto back = read_xml(report::pmbench_xml(run));
  ASSERT_TRUE(back.paging);
  EXPECT_EQ(back.paging->duration_s, 0.2);
  EXPECT_EQ(back.paging->read_percent, -1);
  EXPECT_EQ(back.paging->fill, p.fill);
  EXPECT_EQ(back.paging->conditions, p.conditions);
  const auto& pressure = back.paging->pressure;
  EXPECT_TRUE(pressure.known);
  EXPECT_EQ(pressure.limit_bytes, 512ull << 20);
  EXPECT_EQ(pressure.controller, "cgroup v1");
  EXPECT_EQ(pressure.settings, p.pressure.settings);
  EXPECT_EQ(pressure.changed, p.pressure.changed);
  EXPECT_EQ(pressure.not_possible, p.pressure.not_possible);
  ASSERT_EQ(pressure.swaps.size(), 1u);
  EXPECT_EQ(pressure.swaps[0].name, "zram:2G");
  EXPECT_EQ(pressure.swaps[0].compressed_bytes, 541ull << 20);
  const auto text = report::paging_text(back);
  EXPECT_NE(text.find("limit 512 MiB (cgroup v1), swap zram:2G"), std::string::npos) << text;
}

TEST(PagingXml, PmbenchFilesReportPressureAsUnknown) {
  for (const char* name : {"linux.xml", "cold_reads.xml", "touch.xml", "windows.xml"}) {
    const auto text = report::paging_text(read_xml(import::sample(name)));
    EXPECT_NE(text.find("pressure: not recorded in the file"), std::string::npos) << name;
    EXPECT_EQ(text.find("no swap"), std::string::npos) << name;
    EXPECT_EQ(text.find("no memory limit"), std::string::npos) << name;
  }
}

std::vector<std::string> elements(const pugi::xml_node& node, const std::string& path = "") {
  std::vector<std::string> out;
  for (const auto child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    auto at = path + "/" + child.name();
    for (const auto attribute : child.attributes()) at += std::string("@") + attribute.name() + "=" + attribute.value();
    const bool leaf = !child.first_child() || child.first_child().type() == pugi::node_pcdata;
    out.push_back(leaf ? at + " " + child.child_value() : at);
    for (auto& line : elements(child, at)) out.push_back(std::move(line));
  }
  return out;
}

std::vector<std::string> elements_of(const std::string& text) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(text.c_str()));
  return elements(document);
}

class PmbenchFiles : public testing::TestWithParam<const char*> {};

TEST_P(PmbenchFiles, KeepEveryElementAttributeAndNumber) {
  const auto text = import::sample(GetParam());
  const auto run = read_xml(text);
  const auto again = report::pmbench_xml(run);
  const auto before = elements_of(text), after = elements_of(again);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]);
  EXPECT_GT(before.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(PagingXml, PmbenchFiles,
                         testing::Values("linux.xml", "cold_reads.xml", "touch.xml", "windows.xml"));

TEST(PagingXml, ImportedReportsHaveEveryFormat) {
  for (const char* name : {"linux.xml", "cold_reads.xml", "touch.xml", "windows.xml"})
    for (const auto& format : report::paging_formats())
      EXPECT_NE(format.render(read_xml(import::sample(name))), "") << name << " " << format.name;
}

}  // namespace
}  // namespace fathom
