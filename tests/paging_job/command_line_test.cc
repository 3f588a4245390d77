// The command line of `fathom paging`: what each word becomes, and what a mistake is told.
#include "paging_job/command_line.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "paging_job/swap.h"

namespace fathom::paging_job {
namespace {

using paging::Fill, paging::Memory, paging::Stamps, paging::SwapPlan;

base::Expected<Command> read(std::vector<std::string> args, Action action = Action::run) {
  return parse_command(action, args);
}

// As the program shows it, with the place underlined.
std::string rendered(const base::Error& error) {
  const auto& place = error.place;
  std::string text = place ? fmt::format("{}:{}:{}: ", place->file, place->line, place->column) : "";
  text += fmt::format("error: {}\n", error.what);
  if (place)
    text += fmt::format("    {}\n    {:{}}{}\n", place->line_text, "", place->column - 1,
                        std::string(static_cast<std::size_t>(place->length), '^'));
  if (!error.cause.empty()) text += fmt::format("  cause: {}\n", error.cause);
  if (!error.help.empty()) text += fmt::format("  help: {}\n", error.help);
  return text;
}

std::string mistake(std::vector<std::string> args, Action action = Action::run) {
  const auto options = read(std::move(args), action);
  return options ? "accepted" : rendered(options.error());
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PagingOptions, MapAndSetDefaultFromEachOther) {
  const auto bare = read({});
  EXPECT_EQ(bare->request.plan.region.map_bytes, 256ull << 20);
  EXPECT_EQ(bare->request.plan.region.set_bytes, 128ull << 20);
  EXPECT_EQ(bare->request.plan.duration_s, 10);
  const auto set = read({"--set=1G"});
  EXPECT_EQ(set->request.plan.region.map_bytes, 1ull << 30);
  const auto map = read({"--map=1T"});
  EXPECT_EQ(map->request.plan.region.set_bytes, 1ull << 39);
}

TEST(PagingOptions, LoadOptionsAreParsed) {
  const auto o = read({"--map=2G", "--set=1G", "--pattern=zipf", "--shape=0.99", "--permute", "--read-ratio=30%",
                       "--threads=4", "--processes", "2", "--duration=90s", "--cold", "--offset", "-1", "--seed=7",
                       "--fill=compressible:66.5", "--memory=memfd", "--stamps=rdtscp", "--no-classify"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.pattern.name, "zipf");
  EXPECT_EQ(o->request.plan.pattern.shape, 0.99);
  EXPECT_TRUE(o->request.plan.pattern.permute);
  EXPECT_EQ(o->request.plan.pattern.read_percent, 30);
  EXPECT_EQ(o->request.plan.threads, 4);
  EXPECT_EQ(o->request.plan.processes, 2);
  EXPECT_EQ(o->request.plan.duration_s, 90);
  EXPECT_FALSE(o->request.plan.warmup);
  EXPECT_EQ(o->request.plan.pattern.offset_words, -1);
  EXPECT_EQ(o->request.plan.pattern.seed, 7u);
  EXPECT_EQ(o->request.plan.region.seed, 7u);
  EXPECT_EQ(o->request.plan.region.fill, Fill::compressible);
  EXPECT_EQ(o->request.plan.region.fill_percent, 66.5);
  EXPECT_EQ(o->request.plan.region.memory, Memory::memfd);
  EXPECT_EQ(o->request.plan.touch.stamps, Stamps::rdtscp);
  EXPECT_FALSE(o->request.plan.touch.classify);
}

TEST(PagingOptions, PatternsAndMemoryMayNameAFile) {
  const auto o = read({"--pattern=profile:/tmp/a:b", "--memory=file-shared:/mnt/x"});
  EXPECT_EQ(o->request.plan.pattern.name, "profile");
  EXPECT_EQ(o->request.plan.pattern.file, "/tmp/a:b");
  EXPECT_EQ(o->request.plan.region.memory, Memory::file_shared);
  EXPECT_EQ(o->request.plan.region.file, "/mnt/x");
  EXPECT_EQ(read({"--pattern=legacy:zipf"})->request.plan.pattern.name, "legacy:zipf");
  EXPECT_TRUE(holds(mistake({"--pattern=trace"}), "`--pattern=trace:FILE`"));
  EXPECT_TRUE(holds(mistake({"--memory=file-private"}), "not a value of --memory"));
  EXPECT_TRUE(holds(mistake({"--memory=memfd:/x"}), "not a value of --memory"));
}

TEST(CommandLine, PressureBecomesSwitches) {
  const auto o = read({"--limit=512M", "--swap=zram:2G:lz4", "--only", "--page-cluster=0", "--swappiness=100",
                       "--zswap=off", "--setting=thp.enabled=never"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.pressure.limit_bytes, 512ull << 20);
  EXPECT_EQ(o->request.pressure.swap.kind, SwapPlan::Kind::zram);
  EXPECT_EQ(o->request.pressure.swap.size_bytes, 2ull << 30);
  EXPECT_EQ(o->request.pressure.swap.compressor, "lz4");
  EXPECT_TRUE(o->request.pressure.only);
  const std::vector<std::pair<std::string, std::string>> settings{
      {"vm.page-cluster", "0"}, {"vm.swappiness", "100"}, {"zswap.enabled", "off"}, {"thp.enabled", "never"}};
  EXPECT_EQ(o->request.pressure.settings, settings);
}

TEST(PagingOptions, SwapPlansAreParsed) {
  EXPECT_EQ(read_swap("current")->kind, SwapPlan::Kind::current);
  EXPECT_EQ(read_swap("none")->kind, SwapPlan::Kind::none);
  const auto file = read_swap("file:/mnt/a:b/swap:1G");
  EXPECT_EQ(file->path, "/mnt/a:b/swap");
  EXPECT_EQ(file->size_bytes, 1ull << 30);
  EXPECT_EQ(read_swap("dev:/dev/disk/by-path/pci-0:1")->path, "/dev/disk/by-path/pci-0:1");
  for (const char* wrong : {"zram", "zram:", "zram:x", "zram:16M:", "zram:4k:a:b", "file:/a", "file::1G", "file:/a:0",
                            "dev:", "dev:sda", "disk", ""})
    EXPECT_FALSE(read_swap(wrong)) << wrong;
}

TEST(PagingOptions, CpusAreListedByThread) {
  const auto one = read({"--cpus=0"});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->request.plan.thread_cpus, (std::vector<std::vector<int>>{{0}}));
  EXPECT_EQ(read({"--cpus=0:0"})->request.plan.thread_cpus.size(), 2u);
  EXPECT_TRUE(holds(mistake({"--cpus=0,60000"}), "CPU 60000 may not be used"));
}

TEST(PagingOptions, ABreakdownDefaultsToThePapersLoad) {
  const auto o = read({"--swap", "zram:2G,file:/s:2G", "--swap=none"}, Action::breakdown);
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.swaps.size(), 3u);
  EXPECT_EQ(o->request.plan.region.map_bytes, 1ull << 30);
  EXPECT_EQ(o->request.plan.region.set_bytes, 1ull << 30);
  EXPECT_EQ(o->request.plan.region.fill, Fill::random);
  EXPECT_EQ(o->request.plan.threads, 2);
  EXPECT_EQ(o->request.repeat, 3u);
  EXPECT_FALSE(o->request.plan.warmup);
  EXPECT_EQ(o->request.pressure.settings, (std::vector<std::pair<std::string, std::string>>{{"vm.page-cluster", "0"}}));
  const auto own = read({"--swap=none", "--limit=64M", "--page-cluster=3", "--repeat=1"}, Action::breakdown);
  EXPECT_EQ(own->request.plan.region.set_bytes, 128ull << 20);
  EXPECT_EQ(own->request.pressure.settings,
            (std::vector<std::pair<std::string, std::string>>{{"vm.page-cluster", "3"}}));
  EXPECT_EQ(own->request.repeat, 1u);
  EXPECT_TRUE(holds(mistake({}, Action::breakdown), "--swap is missing"));
}

TEST(PagingOptions, ValuesOutOfRangeAreRefused) {
  for (const char* wrong : {"--duration=0",
                            "--duration=x",
                            "--map=0",
                            "--map=5",
                            "--map=4097",
                            "--set=-4k",
                            "--read-ratio=101",
                            "--threads=0",
                            "--processes=-1",
                            "--offset=1024",
                            "--fill=compressible:101",
                            "--fill=some",
                            "--repeat=0",
                            "--limit=1x",
                            "--thp=maybe",
                            "--access=look",
                            "--swappiness=201",
                            "--page-cluster=x",
                            "--zswap=2",
                            "--setting=a",
                            "--mark-above=0",
                            "--output-format=yaml",
                            "--cpus=",
                            "--membind=a",
                            "--shape=x",
                            "--eta=no"})
    EXPECT_FALSE(read({wrong})) << wrong;
}

TEST(PagingOptions, AMistakeIsUnderlined) {
  EXPECT_EQ(mistake({"--map=1G", "--duration=0"}),
            "<command line>:1:21: error: --duration=0: out of range\n"
            "    --map=1G --duration=0\n"
            "                        ^\n"
            "  cause: the smallest value is 1ms\n"
            "  help: write `--duration=1ms` or more\n");
  EXPECT_TRUE(holds(mistake({"--treads=2"}), "did you mean `--threads`?"));
  EXPECT_TRUE(holds(mistake({"--stamps=rdtcsp"}), "did you mean `--stamps=rdtscp`?"));
  EXPECT_TRUE(holds(mistake({"10"}), "`--duration=10`"));
}

TEST(PagingOptions, ConflictingOptionsAreRefused) {
  EXPECT_TRUE(holds(mistake({"--map=1G", "--set=2G"}), "larger than the map"));
  EXPECT_TRUE(holds(mistake({"--swap=none", "--swap=current"}), "a run has one swap"));
  EXPECT_TRUE(holds(mistake({"--initial-node=0"}), "without a fill"));
  EXPECT_TRUE(holds(mistake({"--access=touch", "--mark-above=1us"}), "no latencies"));
}

// What would be taken and not done: an option, and what makes it mean something.
TEST(PagingOptions, OptionsWithoutEffectAreRefused) {
  const std::pair<std::vector<std::string>, std::vector<std::string>> kCases[] = {
      {{"--hot-access=90"}, {"--pattern=hot"}},
      {{"--hot-set=10"}, {"--pattern=hot"}},
      {{"--pattern=zipf", "--hot-move=1s"}, {"--pattern=hot"}},
      {{"--trace-loop"}, {"--pattern=trace:/t"}},
      {{"--overwrite-file"}, {"--memory=file-shared:/f"}},
      {{"--only"}, {"--swap=zram:16M"}},
      {{"--only", "--swap=current"}, {}},
      {{"--slow-above=1us", "--no-classify"}, {}},
      {{"--slow-above=1us", "--access=touch"}, {}},
      {{"--stamps=rdtscp"}, {}},
      {{"--access=touch", "--stamps=rdtscp"}, {}},
      {{"--cpus=0"}, {}},
      {{"--cpus=0", "--cpunode=0"}, {}},
      {{"--pattern=trace:/t", "--read-ratio=30"}, {}},
      {{"--pattern=trace:/t", "--offset=3"}, {}},
      {{"--memory=hugetlb", "--thp=always"}, {}},
      {{"--permute"}, {"--pattern=zipf"}},
      {{"--pattern=trace:/t", "--permute"}, {"--pattern=linear"}},
      {{"--pattern=legacy:zipf", "--permute"}, {"--pattern=hot"}},
      {{"--fill-map"}, {"--fill=random"}},
      {{"--fill=random", "--memory=memfd", "--fill-map"}, {"--fill=zero"}},
      {{"--delay=1"}, {}},
      {{"--delay=10"}, {}},
      {{"--pattern=legacy:uniform", "--seed=7"}, {"--pattern=legacy:uniform", "--fill=random"}},
      {{"--pattern=trace:/t", "--seed=7"}, {"--pattern=trace:/t", "--fill=compressible:50"}},
      {{"--pattern=legacy:uniform", "--fill=zero", "--seed=7"}, {"--pattern=normal"}},
      {{"--import=/x.xml", "--duration=1"}, {}},
  };
  for (const auto& [args, mended] : kCases) {
    const bool alone_is_fine = args == std::vector<std::string>{"--stamps=rdtscp"} || args[0] == "--cpus=0";
    if (args.size() == 1 && alone_is_fine) {
      EXPECT_TRUE(read(args)) << args[0];
      continue;
    }
    EXPECT_FALSE(read(args)) << args[0];
    if (mended.empty()) continue;
    std::vector<std::string> all{args.back()};
    all.insert(all.end(), mended.begin(), mended.end());
    EXPECT_TRUE(read(all)) << mistake(all);
  }
  EXPECT_TRUE(read({"--import=/x.xml", "--output=/y", "--output-format=csv"}));
  EXPECT_TRUE(holds(mistake({"--import=/x.xml", "--swap=zram:16M"}, Action::breakdown), "cannot import"));
}

TEST(PagingOptions, ADelayOf1To10TicksIsRefused) {
  EXPECT_EQ(read({"--delay=0"})->request.plan.touch.delay_ticks, 0u);
  EXPECT_EQ(read({"--delay=11"})->request.plan.touch.delay_ticks, 11u);
  EXPECT_EQ(mistake({"--map=1G", "--delay=10"}),
            "<command line>:1:10: error: --delay: 10 ticks or fewer end before the next clock read\n"
            "    --map=1G --delay=10\n"
            "             ^^^^^^^^^^\n"
            "  help: write `--delay=11` or more, or 0\n");
}

// A breakdown is of runs, and what a run refuses is refused before the first of them.
TEST(CommandLine, ABreakdownRefusesWhatARunRefuses) {
  constexpr auto kBreakdown = Action::breakdown;
  EXPECT_TRUE(holds(mistake({"--swap=none", "--initial-node=0", "--membind=0"}, kBreakdown), "cannot move"));
  EXPECT_TRUE(holds(mistake({"--swap=none", "--initial-node=0", "--fill=none"}, kBreakdown), "without a fill"));
  EXPECT_TRUE(holds(mistake({"--swap=none", "--map=1G", "--set=2G"}, kBreakdown), "larger than the map"));
  EXPECT_TRUE(holds(mistake({"--swap=none", "--permute"}, kBreakdown), "uniform in any order"));
  EXPECT_TRUE(read({"--swap=none", "--initial-node=0"}, kBreakdown));
}

TEST(PagingOptions, ABreakdownRefusesOptionsThatDropLatencyClasses) {
  EXPECT_EQ(mistake({"--swap=zram:1G", "--access=touch"}, Action::breakdown),
            "<command line>:1:16: error: --access: a breakdown needs latencies by class\n"
            "    --swap=zram:1G --access=touch\n"
            "                   ^^^^^^^^^^^^^^\n"
            "  help: omit it\n");
  EXPECT_TRUE(holds(mistake({"--swap=none", "--no-classify"}, Action::breakdown),
                    ":1:13: error: --no-classify: a breakdown needs"));
}

TEST(PagingOptions, CostIsMeasuredForTenSecondsOrSoLong) {
  EXPECT_EQ(read({})->request.cost_ns, 0u);
  EXPECT_EQ(read({"--cost"})->request.cost_ns, 10'000'000'000u);
  EXPECT_EQ(read({"--cost=30s"})->request.cost_ns, 30'000'000'000u);
  EXPECT_EQ(read({"--cost=5"})->request.cost_ns, 5'000'000'000u);
  EXPECT_TRUE(holds(mistake({"--cost=10ms"}), "1s"));
  EXPECT_TRUE(holds(mistake({"--cost", "--audit=off"}), "--cost: --audit=off has no probes"));
  EXPECT_TRUE(holds(mistake({"--swap=none", "--cost"}, Action::breakdown), "`fathom paging --cost` with one"));
  EXPECT_FALSE(holds(options::help_text(breakdown_manual()), "--cost"));
}

// pmbench's own seeds are fixed: repetitions of its generators agree too well, and the report says so.
TEST(PagingOptions, RepetitionsOfAFixedSeedAreReported) {
  const auto legacy = read({"--pattern=legacy:zipf", "--repeat=5"});
  ASSERT_EQ(legacy->request.findings.size(), 1u);
  EXPECT_EQ(legacy->request.findings[0].id, "paging.same_draws");
  EXPECT_EQ(legacy->request.findings[0].severity, result::Severity::warning);
  EXPECT_TRUE(holds(legacy->request.findings[0].evidence, "each of the 5 repetitions"));
  EXPECT_TRUE(read({"--pattern=legacy:zipf"})->request.findings.empty());
  EXPECT_TRUE(read({"--pattern=zipf", "--repeat=5"})->request.findings.empty());
  const auto table = read({"--swap=none", "--pattern=legacy:uniform"}, Action::breakdown);
  EXPECT_EQ(table->request.findings.size(), 1u);
}

TEST(PagingOptions, APercentSignIsAcceptedOnlyAfterPercentages) {
  for (const char* percent : {"--read-ratio=30%", "--fill=compressible:66.5%"}) EXPECT_TRUE(read({percent})) << percent;
  EXPECT_TRUE(read({"--pattern=hot", "--hot-access=90%", "--hot-set=5%"}));
  for (const char* number : {"--seed=7%", "--offset=3%", "--threads=2%", "--shape=1%", "--page-cluster=0%"})
    EXPECT_FALSE(read({number})) << number;
}

TEST(PagingOptions, ACommaInAPathDoesNotSeparateSwaps) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_swaps("zram:2G,file:/v/a,b:2G,none"), (Words{"zram:2G", "file:/v/a,b:2G", "none"}));
  EXPECT_EQ(split_swaps("file:/v/a,b,c:2G"), (Words{"file:/v/a,b,c:2G"}));
  EXPECT_EQ(split_swaps("file:/v/a:2G,zrm:2G"), (Words{"file:/v/a:2G", "zrm:2G"}));
  EXPECT_EQ(read({"--swap=file:/v/a,b:16M"})->request.pressure.swap.path, "/v/a,b");
}

TEST(CommandLine, TheHelpOfABreakdownSaysItsOwnDefaults) {
  const std::string help = options::help_text(breakdown_manual());
  for (const char* own : {"(2)\n", "(20s)", "(512M)", "in turns (3)"}) EXPECT_TRUE(holds(help, own)) << own;
  for (const char* of_run : {"(10s)", "threads of each process (1)", "half of the map", "--import", "xml (pmbench's"})
    EXPECT_FALSE(holds(help, of_run)) << of_run;
}

TEST(CommandLine, TheHelpHasEachOptionOnce) {
  const std::string help = options::help_text(run_manual());
  std::set<std::string> seen;
  const std::regex head("\n  (?:    |-[a-z], )(--[a-z-]+)");
  for (std::sregex_iterator at(help.begin(), help.end(), head), end; at != end; ++at)
    EXPECT_TRUE(seen.insert((*at)[1]).second) << (*at)[1];
  EXPECT_GT(seen.size(), 45u);
  EXPECT_EQ(seen.count("--help"), 0u);
}

}  // namespace
}  // namespace fathom::paging_job
