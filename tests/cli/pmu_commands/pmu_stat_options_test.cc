// The command line of `fathom pmu stat`: perf's spellings, where the command begins, how slots are asked for, what is
// refused.
#include "cli/pmu_commands/pmu_stat_options.h"

#include <gtest/gtest.h>

namespace fathom::cli::pmu_commands {
namespace {

using Arguments = std::vector<std::string>;

TEST(StatOptions, TakesPerfsSpellings) {
  const Arguments spellings[] = {{"-e", "cs", "-r", "3", "-x", ";", "true"},
                                 {"-ecs", "-r3", "-x;", "true"},
                                 {"--event=cs", "--repeat=3", "--field-separator=;", "--", "true"},
                                 {"-e=cs", "-r=3", "-x=;", "true"}};
  for (const auto& arguments : spellings) {
    const auto options = read_stat_options(arguments);
    ASSERT_TRUE(options) << arguments[0] << ": " << options.error().what;
    EXPECT_EQ(options->plan.events, "cs");
    EXPECT_EQ(options->plan.runs, 3u);
    EXPECT_EQ(options->format, StatFormat::csv);
    EXPECT_EQ(options->separator, ";");
    EXPECT_EQ(options->plan.command, (Arguments{"true"}));
  }
}

TEST(StatOptions, TheCommandKeepsItsOptions) {
  const auto options = read_stat_options(Arguments{"-e", "p/a=1,b/", "-e", "cs", "fio", "-e", "--name=x", "--"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->plan.events, "p/a=1,b/,cs");
  EXPECT_EQ(options->plan.command, (Arguments{"fio", "-e", "--name=x", "--"}));
}

TEST(StatOptions, TakesPerfsWaysToSayWhatIsCounted) {
  using pmu::events::Together;
  const auto plain = read_stat_options(Arguments{"--", "true"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->plan.events, "") << "perf's default ones";
  const auto cpus = read_stat_options(Arguments{"-C", "0,2-3", "-A", "--per-socket", "-ddd", "--timeout", "50"});
  ASSERT_TRUE(cpus) << cpus.error().what;
  EXPECT_EQ(cpus->plan.cpus, "0,2-3");
  EXPECT_EQ(cpus->plan.together, Together::socket) << "the last one";
  EXPECT_EQ(cpus->plan.detail, 3u);
  EXPECT_EQ(cpus->plan.timeout_ms, 50u);
  const auto process = read_stat_options(Arguments{"--pid=12,13", "-D", "100", "-d", "sleep", "1"});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_EQ(process->plan.processes, "12,13");
  EXPECT_EQ(process->plan.delay_ms, 100u);
  EXPECT_EQ(process->plan.detail, 1u);
  EXPECT_EQ(read_stat_options(Arguments{"-t14"})->plan.threads, "14");
  const std::pair<const char*, Together> ways[] = {{"-A", Together::cpu},
                                                   {"--no-aggr", Together::cpu},
                                                   {"--per-core", Together::core},
                                                   {"--per-die", Together::die},
                                                   {"--per-socket", Together::socket}};
  for (const auto& [option, together] : ways)
    EXPECT_EQ(read_stat_options(Arguments{"-a", option})->plan.together, together) << option;
}

struct Wrong {
  Arguments arguments;
  const char* what;
};

TEST(StatOptions, RefusesInvalidCombinations) {
  const Wrong wrongs[] = {
      {{"-A", "true"}, "need -a or -C"},
      {{"--per-core", "-a", "-p1"}, "need -a or -C"},
      {{"-p1", "-t1"}, "exclude each other"},
      {{"-a", "-A", "--passes", "true"}, "exclude each other"},
      {{"--timeout=9", "true"}, "out of range"},
      {{"--timeout=99", "-I99", "true"}, "exclude each other"},
      {{"-e", "cs"}, "no command"},
      {{"-a", "-r2", "-e", "cs"}, "-r and --passes repeat a command"},
      {{"-e", "cs", "-r0", "true"}, "-r 0: out of range"},
      {{"-e", "cs", "-I5", "true"}, "-I 5: out of range"},
      {{"-e", "cs", "-I100", "-r2", "true"}, "-I needs a single run"},
      {{"-e", "cs", "--evnt", "x", "true"}, "no option `--evnt`"},
      {{"-e", "cs", "--output-format=xml", "true"}, "not a value of --output-format"},
      {{"-e", "cs", "--unit-bytes=0", "true"}, "above 0"},
      {{"-e"}, "a value is missing"},
  };
  for (const auto& wrong : wrongs) {
    const auto options = read_stat_options(wrong.arguments);
    ASSERT_FALSE(options) << wrong.what;
    EXPECT_NE(options.error().what.find(wrong.what), std::string::npos) << options.error().what;
  }
}

TEST(StatOptions, AllCpusNeedsNoCommand) {
  const auto options = read_stat_options(Arguments{"-a", "-e", "cs", "-j", "-o", "-"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->plan.all_cpus);
  EXPECT_EQ(options->format, StatFormat::perf_json);
  EXPECT_EQ(options->output, "-");
}

base::Expected<StatOptions> read_slots(Arguments arguments) {
  arguments.insert(arguments.end(), {"-e", "cs", "true"});
  return read_stat_options(arguments);
}

TEST(SlotOptions, SlotLengthsAreInMsAndOptional) {
  const auto plain = read_slots({});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->plan.slots);
  const auto automatic = read_slots({"--slots"});
  ASSERT_TRUE(automatic);
  ASSERT_TRUE(automatic->plan.slots);
  EXPECT_GT(automatic->plan.slots->cpu_share, 0);
  EXPECT_EQ(automatic->plan.command, Arguments{"true"});
  const auto pair = read_slots({"--slots=4", "--slots2=7.5", "--slot-jitter=0"});
  ASSERT_TRUE(pair);
  ASSERT_TRUE(pair->plan.slots);
  ASSERT_EQ(pair->plan.slots->plans.size(), 2u);
  EXPECT_DOUBLE_EQ(pair->plan.slots->plans[0].mean_ns, 4e6);
  EXPECT_DOUBLE_EQ(pair->plan.slots->plans[1].mean_ns, 7.5e6);
  EXPECT_EQ(pair->plan.slots->plans[1].jitter, 0);
  EXPECT_EQ(pair->plan.slots->cpu_share, 0);  // a length that was asked for stays
}

TEST(SlotOptions, RefusesInvalidCombinations) {
  for (const Arguments& arguments :
       {Arguments{"--slots=0"}, Arguments{"--slots=x"}, Arguments{"--slots2=7"}, Arguments{"--slots", "--slots2=7"},
        Arguments{"--slot-jitter=10"}, Arguments{"--slots", "--slot-jitter=100"}, Arguments{"--slots", "--passes"},
        Arguments{"--slots", "-r3"}, Arguments{"--slots", "--pinned"}, Arguments{"--slots", "-p1"},
        Arguments{"--slots", "-a", "-A"}, Arguments{"--slots", "--timeout=99"}, Arguments{"--slots", "-D99"}})
    EXPECT_FALSE(read_slots(arguments)) << arguments.back();
}

}  // namespace
}  // namespace fathom::cli::pmu_commands
