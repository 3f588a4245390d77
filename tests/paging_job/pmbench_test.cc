// pmbench's command line: its defaults, its letters, and what it refuses.
#include "paging_job/pmbench.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/system/affinity.h"

namespace fathom::paging_job {
namespace {

using paging::Fill, paging::Stamps;

base::Expected<PmbenchCommand> read_pmbench(std::vector<std::string> args) { return parse_pmbench(args); }

TEST(PmbenchOptions, DefaultsMatchPmbench) {
  const auto o = read_pmbench({"10"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.region.map_bytes, 256ull << 20);
  EXPECT_EQ(o->request.plan.region.set_bytes, 128ull << 20);
  EXPECT_EQ(o->request.plan.pattern.name, "uniform");
  EXPECT_EQ(o->request.plan.pattern.shape, std::nullopt);
  EXPECT_EQ(o->request.shown_shape, 1.00001);
  EXPECT_EQ(o->request.plan.pattern.read_percent, 50);
  EXPECT_EQ(o->request.plan.pattern.offset_words, -1);
  EXPECT_EQ(o->request.plan.threads, 1);
  EXPECT_EQ(o->request.plan.touch.stamps, Stamps::rdtscp);
  EXPECT_EQ(o->request.plan.duration_s, 10);
  EXPECT_TRUE(o->request.plan.warmup);
}

// The very command of the paper's second footnote.
TEST(PmbenchOptions, TheCommandOfThePaperIsParsed) {
  const auto o = read_pmbench({"-m", "8192", "-s", "8192", "-j", "2", "-r", "50", "-d", "0", "-o", "-1", "-p",
                               "uniform", "-t", "rdtscp", "-c", "-i", "300"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.region.set_bytes, 8ull << 30);
  EXPECT_EQ(o->request.plan.threads, 2);
  EXPECT_FALSE(o->request.plan.warmup);
  EXPECT_EQ(o->request.plan.region.fill, Fill::random);
  EXPECT_EQ(o->request.plan.duration_s, 300);
}

TEST(PmbenchOptions, LettersMayBeCombinedValuesAttachedAndOptionsFollowTheDuration) {
  const auto o =
      read_pmbench({"5", "-ci", "-m64", "--setsize=32", "-t", "perfc", "-f", "/tmp/x.xml", "-qz", "-h", "5000"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_FALSE(o->request.plan.warmup);
  EXPECT_EQ(o->request.plan.region.map_bytes, 64ull << 20);
  EXPECT_EQ(o->request.plan.region.set_bytes, 32ull << 20);
  EXPECT_EQ(o->request.plan.touch.stamps, Stamps::clock_gettime);
  EXPECT_EQ(o->report.xml_file, "/tmp/x.xml");
  EXPECT_TRUE(o->request.quiet);
  EXPECT_TRUE(o->request.plan.touch.load_before_store);
  EXPECT_EQ(o->request.plan.touch.mark_above_ns, 5000u);
  EXPECT_FALSE(o->help);
}

TEST(PmbenchOptions, DashHIsTheThresholdAndDashQuestionMarkTheHelp) {
  EXPECT_FALSE(read_pmbench({"-h"}));
  EXPECT_TRUE(read_pmbench({"-?"})->help);
  EXPECT_TRUE(read_pmbench({"--help"})->help);
}

// Wherever they stand; what comes before them must be right, what comes after is not looked at.
TEST(PmbenchOptions, VersionUsageAndHelpReplaceTheRun) {
  EXPECT_TRUE(read_pmbench({"-m", "64", "-V"})->version);
  EXPECT_TRUE(read_pmbench({"5", "--version", "--nothing"})->version);
  EXPECT_TRUE(read_pmbench({"-cV"})->version);
  EXPECT_TRUE(read_pmbench({"--usage"})->usage);
  EXPECT_TRUE(read_pmbench({"-c", "--us"})->usage);
  EXPECT_TRUE(read_pmbench({"-s", "32", "-?"})->help);
  EXPECT_FALSE(read_pmbench({"--nothing", "--version"}));
  const auto usage = pmbench_usage();
  for (const char* part : {"[-", "[-m MIB]", "[-y CPUS[:THREADS]]", "SECONDS\n"})
    EXPECT_NE(usage.find(part), std::string::npos) << part;
  for (const char letter : std::string("qciz?V")) EXPECT_LT(usage.find(letter, 16), usage.find(']')) << letter;
}

// As argp_parse(3) takes them.
TEST(PmbenchOptions, LongNamesMayBeAbbreviatedAndRepeated) {
  const auto o = read_pmbench({"--map=64", "--sets", "32", "--ti=rdtsc", "-r", "10", "--ratio=90", "-p", "linear", "-p",
                               "pareto", "-o", "5", "-o-1", "--", "3"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.region.map_bytes, 64ull << 20);
  EXPECT_EQ(o->request.plan.region.set_bytes, 32ull << 20);
  EXPECT_EQ(o->request.plan.touch.stamps, Stamps::rdtsc);
  EXPECT_EQ(o->request.plan.pattern.read_percent, 90);
  EXPECT_EQ(o->request.plan.pattern.name, "pareto");
  EXPECT_EQ(o->request.plan.pattern.offset_words, -1);
  EXPECT_EQ(o->request.plan.duration_s, 3);
  EXPECT_FALSE(read_pmbench({"--s=32", "1"})) << "setsize or shape";
}

// pmbench -i writes all of the map, not the part alone that it touches later.
TEST(PmbenchOptions, DashIFillsTheWholeMap) {
  const auto o = read_pmbench({"-m", "64", "-s", "32", "-i", "1"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.region.touched_bytes(), 64ull << 20);
  EXPECT_EQ(read_pmbench({"-m", "64", "-s", "32", "1"})->request.plan.region.touched_bytes(), 32ull << 20);
}

// Its numbers are C's int: what reads its files (pmgraph) takes no more.
TEST(PmbenchOptions, NumbersAreLimitedToAnInt) {
  EXPECT_EQ(read_pmbench({"-d", "2147483647", "1"})->request.plan.touch.delay_ticks, 2147483647u);
  EXPECT_FALSE(read_pmbench({"-d", "2147483648", "1"}));
  EXPECT_EQ(read_pmbench({"-h", "2147483647", "1"})->request.plan.touch.mark_above_ns, 2147483647u);
  EXPECT_FALSE(read_pmbench({"-h", "2147483648", "1"}));
  EXPECT_FALSE(read_pmbench({"-r", "50.5", "1"}));
}

TEST(PmbenchOptions, AShapeInPagesIsCutToWholePages) {
  EXPECT_EQ(read_pmbench({"-p", "linear", "-e", "23.9", "1"})->request.plan.pattern.shape, 23);
  EXPECT_EQ(read_pmbench({"-p", "uniform", "-e", "3", "1"})->request.plan.pattern.shape, std::nullopt);
  EXPECT_EQ(read_pmbench({"-p", "pareto", "-e", "1.161", "1"})->request.plan.pattern.shape, 1.161);
  EXPECT_EQ(read_pmbench({"-p", "legacy:zipf", "1"})->request.plan.pattern.name, "legacy:zipf");
}

// The first and the last CPU that this process may use.
std::pair<std::string, std::string> own_cpus() {
  const auto cpus = base::system::allowed_cpus();
  return {std::to_string(cpus.front()), std::to_string(cpus.back())};
}

TEST(PmbenchOptions, AffinityPinsThreadsToTheirCpu) {
  const auto o = read_pmbench({"-y", own_cpus().second + ":5", "1"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.threads, 5);
  EXPECT_EQ(o->request.plan.thread_cpus, (std::vector<std::vector<int>>(5, {base::system::allowed_cpus().back()})));
  EXPECT_EQ(o->request.plan.processes, 1);
  EXPECT_FALSE(read_pmbench({"-y", "60000", "1"})) << "a CPU that is not there";
  EXPECT_FALSE(read_pmbench({"-y", "0", "-j", "2", "1"}));
  EXPECT_TRUE(read_pmbench({"-y", own_cpus().first, "-i", "1"}));
}

TEST(PmbenchOptions, AffinityIsParsedAsNumaParseCpustringDoes) {
  const auto cpus = base::system::allowed_cpus();
  const auto all = read_pmbench({"-y", "all:1", "1"});
  ASSERT_TRUE(all) << all.error().what;
  EXPECT_EQ(all->request.plan.thread_cpus, std::vector<std::vector<int>>{cpus});
  EXPECT_EQ(read_pmbench({"-y", "all", "1"})->request.plan.threads, static_cast<int>(cpus.size()));
  const auto not_the_first = read_pmbench({"-y", "!" + own_cpus().first, "1"});
  ASSERT_EQ(static_cast<bool>(not_the_first), cpus.size() > 1);
  if (not_the_first)
    EXPECT_EQ(not_the_first->request.plan.thread_cpus[0], std::vector<int>(cpus.begin() + 1, cpus.end()));
  else
    EXPECT_NE(not_the_first.error().what.find("no CPU is left"), std::string::npos);
  EXPECT_FALSE(read_pmbench({"-y", "!x", "1"}));
}

// Each set has a map of its own: a process, whose threads are on its CPUs and whose memory is on their nodes.
TEST(PmbenchOptions, EachAffinitySetBecomesAProcess) {
  const auto [first, last] = own_cpus();
  const auto o = read_pmbench({"-y", first + ":2", "-y", last + ":2", "1"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.processes, 2);
  EXPECT_EQ(o->request.plan.threads, 2);
  EXPECT_EQ(
      o->request.plan.thread_cpus,
      (std::vector<std::vector<int>>{{std::stoi(first)}, {std::stoi(first)}, {std::stoi(last)}, {std::stoi(last)}}));
  EXPECT_EQ(o->request.plan.process_nodes.size(), 2u);
  EXPECT_EQ(o->request.plan.workers(), 4);
}

TEST(PmbenchLine, SetsMayHaveDifferentNumbersOfThreads) {
  const auto [first, last] = own_cpus();
  const auto o = read_pmbench({"-y", first + ":1", "-y", last + ":3", "-y", first, "1"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.processes, 3);
  EXPECT_EQ(o->request.plan.process_threads, (std::vector<int>{1, 3, 1}));
  EXPECT_EQ(o->request.plan.threads, 3);
  EXPECT_EQ(o->request.plan.workers(), 5);
  const std::vector<int> on_first{std::stoi(first)}, on_last{std::stoi(last)};
  EXPECT_EQ(o->request.plan.thread_cpus,
            (std::vector<std::vector<int>>{on_first, on_last, on_last, on_last, on_first}));
  EXPECT_EQ(o->request.plan.process_nodes.size(), 3u);
}

// pmbench makes no delay of 10 ticks or fewer: neither does this, and says so.
TEST(PmbenchOptions, ADelayUpTo10TicksIsDroppedWithAFinding) {
  const auto none = read_pmbench({"-d", "10", "1"});
  ASSERT_TRUE(none) << none.error().what;
  EXPECT_EQ(none->request.plan.touch.delay_ticks, 0u);
  ASSERT_EQ(none->request.findings.size(), 1u);
  EXPECT_EQ(none->request.findings[0].id, "paging.no_delay");
  EXPECT_NE(none->request.findings[0].evidence.find("-d 10: no delay was made"), std::string::npos);
  for (const char* delay : {"0", "11"}) {
    const auto o = read_pmbench({"-d", "5", "-d", delay, "1"});
    EXPECT_EQ(o->request.plan.touch.delay_ticks, std::stoull(delay));
    EXPECT_TRUE(o->request.findings.empty());
  }
}

TEST(PmbenchOptions, AShapeBelowOnePageIsRefusedAsWritten) {
  const auto small = read_pmbench({"-p", "normal", "-e", "0.50", "1"});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().what, "-e 0.50: not from 1 to 32768, the pages of the set");
  EXPECT_EQ(small.error().cause, "pmbench uses the whole pages of the value: 0, as the standard deviation");
  EXPECT_NE(read_pmbench({"-p", "linear", "-e", "0.9", "1"}).error().cause.find("as the stride"), std::string::npos);
  EXPECT_FALSE(read_pmbench({"-p", "linear", "-s", "1", "-e", "257", "1"}));
  EXPECT_TRUE(read_pmbench({"-p", "linear", "-s", "1", "-e", "256.9", "1"}));
  EXPECT_TRUE(read_pmbench({"-p", "legacy:normal", "-e", "0.5", "1"}));
}

TEST(PmbenchOptions, UnbuiltPmbenchOptionsAreReported) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"-x", "1"}, {"-X", "1"}, {"-cx", "1"}, {"-X4", "1"}}) {
    const auto o = read_pmbench(args);
    ASSERT_FALSE(o) << args[0];
    EXPECT_EQ(o.error().kind, base::ErrorKind::not_built);
    EXPECT_NE(o.error().cause.find("an option of pmbench"), std::string::npos) << o.error().what;
  }
  EXPECT_EQ(read_pmbench({"-w", "1"}).error().what, "no option `-w`");
  EXPECT_EQ(read_pmbench({"-c", "-qw", "1"}).error().what, "no option `-w`");
  EXPECT_EQ(read_pmbench({"--cold=1", "1"}).error().what, "--cold: the option takes no value");
  EXPECT_NE(read_pmbench({"--x", "1"}).error().what.find("no option `--x`"), std::string::npos);
}

TEST(PmbenchLine, AnyOffsetBelowZeroIsRandom) {
  EXPECT_EQ(read_pmbench({"-o", "-5", "1"})->request.plan.pattern.offset_words, -1);
  EXPECT_EQ(read_pmbench({"-o", "-2147483648", "1"})->request.plan.pattern.offset_words, -1);
  EXPECT_FALSE(read_pmbench({"-o", "-2147483649", "1"}));
  EXPECT_EQ(read_pmbench({"-o", "1023", "1"})->request.plan.pattern.offset_words, 1023);
}

TEST(PmbenchOptions, MistakesAreQuotedAsWritten) {
  EXPECT_EQ(read_pmbench({"-s", "0", "1"}).error().what, "-s 0: out of range");
  EXPECT_EQ(read_pmbench({"-p", "gauss", "1"}).error().what, "-p gauss: not a value of -p");
}

TEST(PmbenchOptions, InvalidCommandLinesAreRefused) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"0"},
                                                    {"1.5"},
                                                    {"1", "2"},
                                                    {"-m", "64", "1"},
                                                    {"-m", "0", "1"},
                                                    {"-r", "101", "1"},
                                                    {"-j", "0", "1"},
                                                    {"-t", "hpet", "1"},
                                                    {"-p", "gauss", "1"},
                                                    {"-a", "look", "1"},
                                                    {"-o", "1024", "1"},
                                                    {"-e", "x", "1"},
                                                    {"-j", "2%", "1"},
                                                    {"5%"},
                                                    {"-a", "touch", "-h", "5", "1"},
                                                    {"-x", "1"},
                                                    {"-m"},
                                                    {"--nothing", "1"}};
  for (const auto& args : wrong) EXPECT_FALSE(read_pmbench(args)) << (args.empty() ? "" : args[0]);
  EXPECT_NE(read_pmbench({"-m", "64", "1"}).error().what.find("larger than the map of 64 MiB"), std::string::npos);
}

}  // namespace
}  // namespace fathom::paging_job
