// pmbench's own files: every part that some version leaves out, the buckets that share an index, and what is no such
// file. The files are synthetic, made after the schema.
#include "import/pmbench/pmbench_xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/files.h"
#include "stats/pmbench_bins.h"

namespace fathom::import::pmbench {
namespace {

using ::testing::HasSubstr;

result::Run good(const std::string& name) {
  auto run = read_pmbench_xml(sample(name), name);
  EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().what);
  if (run.ok()) return *run;
  result::Run none;
  none.paging.emplace().imported.emplace();
  return none;
}

const result::AccessLatency& hits(const result::Run& run, result::AccessDir dir) {
  return run.paging->latency[static_cast<std::size_t>(result::AccessClass::hit)][static_cast<std::size_t>(dir)];
}

bool has_finding(const result::Run& run, const std::string& id) {
  for (const auto& finding : run.findings)
    if (finding.id == id) return true;
  return false;
}

TEST(PmbenchXml, ReadsALinuxReport) {
  const auto run = good("linux.xml");
  const auto& p = *run.paging;
  EXPECT_EQ(run.host.hostname, "synthetic-host");
  EXPECT_EQ(run.host.kernel, "5.4.0-made-up");
  EXPECT_EQ(p.imported->program, "pmbench 0.8");
  EXPECT_EQ(p.imported->uuid, "01234567-89ab-4cde-8f01-23456789abcd");
  EXPECT_EQ(p.imported->tlb_ids, (std::vector<std::string>{"63", "03", "76", "ff", "b5"}));
  EXPECT_EQ(p.start_epoch_ms, 1'551'443'696'000u);  // 2019-03-01 12:34:56 GMT
  EXPECT_EQ(p.map_bytes, 1ull << 30);
  EXPECT_EQ(p.set_bytes, 512ull << 20);
  EXPECT_EQ(p.pattern, "legacy:zipf");
  EXPECT_EQ(p.access, "histogram");
  EXPECT_EQ(p.offset_words, -1);
  EXPECT_EQ(p.cpu_model, "Made-up(R) CPU & Co @ 2.30GHz");
  EXPECT_EQ(p.clock.ticks_per_second, 2'294'613'000);
  ASSERT_EQ(p.caches.size(), 3u);
  EXPECT_EQ(p.caches[0].type, "Data");
  EXPECT_EQ(p.caches[2].type, "Unified");
  EXPECT_EQ(p.caches[2].ways, 16u);
  ASSERT_EQ(p.workers.size(), 2u);
  ASSERT_EQ(p.memory_items.size(), 5u);
  EXPECT_EQ(p.memory_items[2].name, "mid-run");
  EXPECT_FALSE(p.classified);
  EXPECT_FALSE(p.interrupted);
  EXPECT_TRUE(has_finding(run, "import.classes"));
  EXPECT_TRUE(has_finding(run, "import.bins"));
}

TEST(PmbenchXml, CountsEachOfTheBucketsThatShareAnIndex) {
  const auto run = good("linux.xml");
  for (const auto dir : {result::AccessDir::read, result::AccessDir::write}) {
    EXPECT_EQ(hits(run, dir).histogram_ns.total(), 4000u);
    EXPECT_EQ(hits(run, dir).moments_ns.n, 4000u);
    const auto bins = stats::pmbench_view(hits(run, dir).histogram_ns);
    EXPECT_GT(bins.below_256_ns, 1000u);
    EXPECT_EQ(bins.total(), 4000u);
  }
  // By the interval and not by the index: the same counts wherever a bucket stands and whatever index it carries.
  const auto high = std::string(
      "<interval_lo>30</interval_lo>\n            <interval_hi>32</interval_hi>\n          "
      "</bucket_interval>\n          <sum_count>0<");
  const auto more =
      read_pmbench_xml(with(sample("linux.xml"), high, with(high, "<sum_count>0<", "<sum_count>7<")), "linux.xml");
  ASSERT_TRUE(more.ok());
  const auto bins = stats::pmbench_view(hits(*more, result::AccessDir::read).histogram_ns);
  EXPECT_EQ(bins.high[7], 7u);
  EXPECT_EQ(bins.total(), 4007u);
}

TEST(PmbenchXml, ReadsAColdInterruptedReportOfReads) {
  const auto run = good("cold_reads.xml");
  EXPECT_TRUE(run.paging->cold);
  EXPECT_TRUE(run.paging->interrupted);
  EXPECT_TRUE(run.interrupted);
  ASSERT_EQ(run.paging->workers.size(), 1u);
  EXPECT_EQ(run.paging->workers[0].warmup_accesses, 0u);
  EXPECT_EQ(hits(run, result::AccessDir::write).moments_ns.n, 0u);
  EXPECT_EQ(run.paging->workers[0].accesses[1], 0u);
  ASSERT_FALSE(run.paging->memory_items.empty());
  EXPECT_EQ(run.paging->memory_items.front().name, "pre-run");
}

TEST(PmbenchXml, ReadsAReportWithoutHistogramAndTime) {
  const auto run = good("touch.xml");
  EXPECT_EQ(run.paging->access, "touch");
  EXPECT_EQ(hits(run, result::AccessDir::write).moments_ns.n, 0u);
  EXPECT_EQ(run.paging->start_epoch_ms, 0u);
  ASSERT_EQ(run.paging->workers.size(), 3u);
  EXPECT_EQ(run.paging->workers[0].accesses[0], 0u);  // ratio 0: all are writes
  EXPECT_GT(run.paging->workers[0].accesses[1], 3'000'000u);
  EXPECT_FALSE(has_finding(run, "import.bins"));
}

TEST(PmbenchXml, ReadsAWindowsReport) {
  const auto run = good("windows.xml");
  EXPECT_EQ(run.paging->imported->os_name, "windows");
  EXPECT_EQ(run.paging->imported->windows_build, "19041");
  ASSERT_FALSE(run.paging->memory_items.empty());
  EXPECT_EQ(run.paging->memory_items.front().windows.count("AvailPageFile"), 1u);
  EXPECT_FALSE(has_finding(run, "import.meminfo"));
}

struct Bad {
  const char* name;
  const char* from;
  const char* to;
  const char* what;
  int line;  // 0: not looked at
};
class BadPmbenchXml : public testing::TestWithParam<Bad> {};

TEST_P(BadPmbenchXml, IsRefusedWithItsPlace) {
  const auto& bad = GetParam();
  const auto run = read_pmbench_xml(with(sample("linux.xml"), bad.from, bad.to), "old.xml");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().what, HasSubstr(bad.what));
  EXPECT_EQ(run.error().kind, base::ErrorKind::usage);
  ASSERT_TRUE(run.error().place);
  EXPECT_EQ(run.error().place->file, "old.xml");
  if (bad.line > 0) {
    EXPECT_EQ(run.error().place->line, bad.line);
  }
}

INSTANTIATE_TEST_SUITE_P(
    PmbenchXml, BadPmbenchXml,
    testing::Values(Bad{"cut", "</pmbenchmark>", "", "not an XML document", 0},
                    Bad{"tag", "<uuid>", "<uuid", "not an XML document", 0},
                    Bad{"root", "<pmbenchmark>", "<fiobenchmark><pmbenchmark>", "not an XML document", 0},
                    Bad{"number", "<mapsize>1024", "<mapsize>1k", "<mapsize> holds \"1k\"", 33},
                    Bad{"sign", "<duration>60", "<duration>-60", "<duration> holds \"-60\"", 32},
                    Bad{"huge", "<setsize>512", "<setsize>18446744073709551615", "<setsize> is too large", 34},
                    Bad{"beyond", "<delay>0", "<delay>18446744073709551616", "<delay> holds", 37},
                    Bad{"ratio", "<ratio>50", "<ratio>101", "<ratio> is too large", 42},
                    Bad{"infinite", "<shape>1.0000", "<shape>inf", "<shape> holds", 36},
                    Bad{"month", "<mon>2", "<mon>12", "<mon> is out of range", 0},
                    Bad{"samples", "details_samples", "details_sample", "not an XML document", 0},
                    Bad{"bin", "<hex index=\"3\">", "<hex index=\"16\">", "a <hex> without", 0},
                    Bad{"interval", "<interval_lo>9<", "<interval_lo>7<", "[2^7, 2^10) ns", 0}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(PmbenchXml, RefusesOtherDocuments) {
  for (const char* text : {"", "   ", "hello", "<html></html>", "<pmbenchmark/>", "{\"fio version\" : \"fio-3.42\"}",
                           "<pmbenchmark><report><signature/></report></pmbenchmark>"}) {
    const auto run = read_pmbench_xml(text, "x");
    ASSERT_FALSE(run.ok()) << text;
    EXPECT_TRUE(run.error().place) << text;
    EXPECT_NE(run.error().help, "") << text;
  }
}

TEST(PmbenchXml, NamesAMissingElement) {
  for (const char* part : {"signature", "machine_info", "result", "params", "os_info"}) {
    auto text = sample("linux.xml");
    const auto begin = text.find("<" + std::string(part) + ">"), end = text.find("</" + std::string(part) + ">");
    ASSERT_NE(begin, std::string::npos) << part;
    text.erase(begin, end + 3 + std::string(part).size() - begin);
    const auto run = read_pmbench_xml(text, "x");
    ASSERT_FALSE(run.ok()) << part;
    EXPECT_THAT(run.error().what, HasSubstr("no <" + std::string(part) + ">"));
  }
}

// pmbench computes us in float: from about 170 us on its printed digits are less exact than its whole ticks.
TEST(PmbenchXml, PrefersTicksToRoundedMicroseconds) {
  const auto latency_ns = [](const std::string& us, const std::string& ticks) {
    auto text = with(sample("linux.xml"), "<latency_us>9.1315<", "<latency_us>" + us + "<");
    text = with(text, "<latency_clk>20953<", "<latency_clk>" + ticks + "<");
    const auto run = read_pmbench_xml(text, "x");
    EXPECT_TRUE(run.ok());
    const auto& worker = (*run).paging->workers[0];
    return static_cast<double>(worker.wall_ns) / static_cast<double>(worker.accesses[0] + worker.accesses[1]);
  };
  constexpr double kTick_ns = 1e6 / 2'294'613;
  const double begin = 9'010'000 * kTick_ns, end = 9'010'001 * kTick_ns;  // 3926588.31 ns, 3926588.75
  for (const char* us : {"3926.5873", "3926.5885", "3926.5899"}) {
    EXPECT_GT(latency_ns(us, "9010000"), begin - 0.001) << us;
    EXPECT_LT(latency_ns(us, "9010000"), end + 0.001) << us;
  }
  EXPECT_NEAR(latency_ns("3927.0000", "9010000"), 3927000, 0.1) << "no rounding explains it";
}

// Years count from 1900, as in struct tm; our own older files had the year itself.
TEST(PmbenchXml, ReadsYearsFrom1900AndFullYears) {
  const auto run = read_pmbench_xml(with(sample("linux.xml"), "<year>119<", "<year>2019<"), "x");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ((*run).paging->start_epoch_ms, 1'551'443'696'000u);
}

// The sum of a bucket's bins stands beside them: a damaged one shows.
TEST(PmbenchXml, RefusesBinsThatDoNotAddUp) {
  const auto text = sample("linux.xml");
  const auto at = text.find("<histo_bucket index=\"6\">");
  auto damaged = text.substr(0, at) + with(text.substr(at), "<sum_count>", "<sum_count>9");
  const auto run = read_pmbench_xml(damaged, "x");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().what, HasSubstr("not to its sum_count"));
}

}  // namespace
}  // namespace fathom::import::pmbench
