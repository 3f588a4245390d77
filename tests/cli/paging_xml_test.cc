// Out and in again: what report/ writes import/ reads, and writes again to the same bytes; pmbench's own (synthetic)
// files keep every number of every element of theirs. Here because no room includes both.
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <sstream>

#include "import/files.h"
#include "import/pmbench_xml.h"
#include "report/paging_formats.h"
#include "report/paging_run.h"

namespace fathom {
namespace {

result::Run read(const std::string& text) {
  auto run = import::read_pmbench_xml(text, "x.xml");
  EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().what);
  return run.ok() ? *run : result::Run{};
}

// The first line that differs, not two whole files.
void expect_round_trip(const result::Run& run) {
  const auto written = report::pmbench_xml(run);
  std::istringstream before(written), after(report::pmbench_xml(read(written)));
  std::string a, b;
  for (int line = 1; std::getline(before, a); ++line) {
    ASSERT_TRUE(std::getline(after, b)) << "ends before line " << line;
    ASSERT_EQ(a, b) << "line " << line;
  }
  EXPECT_FALSE(std::getline(after, b));
}

TEST(PagingXml, OursIsTheSameAfterReadingIt) { expect_round_trip(report::paging_run()); }

TEST(PagingXml, OursWithoutAnythingInIt) {
  result::Run run = report::empty_run();
  run.paging.emplace();
  run.paging->access = "touch";
  run.paging->cold = true;
  run.paging->workers.emplace_back();
  run.paging->start_epoch_ms = 1000;
  expect_round_trip(run);
}

TEST(PagingXml, OursWithHugeValuesAndOneAccess) {
  auto run = report::paging_run();
  auto& p = *run.paging;
  result::PagingThread worker;
  report::add(worker.latency[2][0], ~std::uint64_t{0}, 1);
  worker.accesses[0] = 1;
  worker.wall_ns = ~std::uint64_t{0};
  report::set_workers(p, {worker});
  p.read_percent = 100;
  p.seed = ~std::uint64_t{0};
  run.host.hostname = "<&\"'\x01\xff>";
  expect_round_trip(run);
  EXPECT_EQ(read(report::pmbench_xml(run)).paging->latency[2][0].moments_ns.max, ~std::uint64_t{0});
}

TEST(PagingXml, ClassesComeBackWhole) {
  const auto run = report::paging_run();
  const auto back = read(report::pmbench_xml(run));
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
  ASSERT_EQ(back.findings.size(), run.findings.size() + 1);
  EXPECT_EQ(back.findings.back().id, "import.left_out");
}

TEST(PagingXml, AskedForAndPressureComeBack) {
  auto run = report::paging_run();
  auto& p = *run.paging;
  p.duration_s = 0.2;
  p.read_percent = -1;
  p.fill = "compressible:70";
  p.conditions = {{"hot-access", "95"}, {"permute", ""}};
  p.pressure.not_possible = {"no PSI", "<no> \"cgroup\""};
  expect_round_trip(run);
  const auto back = read(report::pmbench_xml(run));
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

TEST(PagingXml, TheirFilesSayNothingOfPressure) {
  for (const char* name : {"linux.xml", "cold_reads.xml", "touch.xml", "windows.xml"}) {
    const auto text = report::paging_text(read(import::sample(name)));
    EXPECT_NE(text.find("pressure: not in the file"), std::string::npos) << name;
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

class TheirFiles : public testing::TestWithParam<const char*> {};

TEST_P(TheirFiles, KeepEveryElementAttributeAndNumber) {
  const auto text = import::sample(GetParam());
  const auto run = read(text);
  const auto again = report::pmbench_xml(run);
  const auto before = elements_of(text), after = elements_of(again);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]);
  EXPECT_GT(before.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(PagingXml, TheirFiles,
                         testing::Values("linux.xml", "cold_reads.xml", "touch.xml", "windows.xml"));

TEST(PagingXml, ImportedReportsHaveEveryFormat) {
  for (const char* name : {"linux.xml", "cold_reads.xml", "touch.xml", "windows.xml"})
    for (const auto& format : report::paging_formats())
      EXPECT_NE(format.render(read(import::sample(name))), "") << name << " " << format.name;
}

}  // namespace
}  // namespace fathom
