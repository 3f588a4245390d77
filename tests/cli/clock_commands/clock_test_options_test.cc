// Options of `fathom clock test`: what is understood, and what is refused with which help.
#include "cli/clock_commands/clock_test_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace fathom::cli::clock_commands {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<unsigned> kUsable{0, 1, 2, 3, 8};

ClockTestOptions parsed(std::vector<std::string> args) {
  auto options = parse_clock_test(args, kUsable);
  EXPECT_TRUE(options.ok()) << (options ? "" : options.error().what);
  return options ? *options : ClockTestOptions{};
}
base::Error refused(std::vector<std::string> args) {
  auto options = parse_clock_test(args, kUsable);
  EXPECT_FALSE(options.ok());
  return options ? base::Error{} : options.error();
}

TEST(ClockTestOptions, DefaultsAreAllUsableCpusAndTheDefaultBarrier) {
  const auto o = parsed({});
  EXPECT_EQ(o.cpus, kUsable);
  EXPECT_EQ(o.entries, 100'000u);
  EXPECT_THAT(o.barriers, ElementsAre(clock::cores::kDefaultBarrier));
  EXPECT_THAT(o.formats, ElementsAre("text"));
}

TEST(ClockTestOptions, ValuesFollowAnEqualsSignOrASpace) {
  EXPECT_THAT(parsed({"--cpus=8,1-2"}).cpus, ElementsAre(1, 2, 8));
  EXPECT_THAT(parsed({"--cpus", "1,1,0-1"}).cpus, ElementsAre(0, 1));
  EXPECT_EQ(parsed({"--entries", "1000", "--json"}).entries, 1000u);
  EXPECT_THAT(parsed({"--barrier=builtin"}).barriers, ElementsAre(clock::cores::Barrier::builtin));
  std::size_t here = 0;
  for (const auto& b : clock::cores::kBarriers) here += b.here();
  EXPECT_EQ(parsed({"--barrier=all"}).barriers.size(), here);
}

TEST(ClockTestOptions, InjectedOffsetsAreParsed) {
  const auto of = [](const char* text) {
    const auto o = parsed({"--inject", text});
    return o.injections.empty() ? session::clocks::AskedInjection{} : o.injections[0];
  };
  EXPECT_EQ(of("1:+200").offset_ns, 200);
  EXPECT_EQ(of("1:-200ns").offset_ns, -200);
  EXPECT_EQ(of("8:1us").cpu, 8u);
  EXPECT_EQ(of("8:1us").offset_ns, 1000);
  EXPECT_EQ(of("1:0:-50").drift_ppm, -50);
  EXPECT_EQ(of("1:2us:+50ppm").drift_ppm, 50);
  for (const char* wrong : {"1", "x:1", "1:y", "1:1:z", "1:1ms", ":1", "1:", "-1:1", "1:1:1:1"})
    EXPECT_THAT(refused({std::string("--inject=") + wrong}).help, HasSubstr("--inject=1:+200ns")) << wrong;
  EXPECT_THAT(refused({"--cpus=0,1", "--inject=2:1us"}).what, HasSubstr("CPU 2 is not tested"));
  EXPECT_EQ(parsed({"--inject=1:1us", "--inject=2:1us"}).injections.size(), 2u);
  const auto twice = refused({"--inject=1:1us", "--inject=2:1us", "--inject=1:0:50"});
  EXPECT_EQ(twice.kind, base::ErrorKind::usage);
  EXPECT_THAT(twice.what, HasSubstr("second injection for CPU 1"));
}

TEST(ClockTestOptions, TheDefaultOfEntriesFitsAnyNumberOfCpus) {
  std::vector<unsigned> many(4096);
  std::iota(many.begin(), many.end(), 0u);
  const auto o = parse_clock_test({}, many);
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->entries, 32'768u);
  const std::vector<std::string> asked{"--entries=100000"};
  ASSERT_FALSE(parse_clock_test(asked, many).ok());
  EXPECT_THAT(parse_clock_test(asked, many).error().help, HasSubstr("32768"));
}

TEST(ClockTestOptions, ADisallowedCpuListsTheAllowedOnes) {
  const auto e = refused({"--cpus=0,5"});
  EXPECT_EQ(e.kind, base::ErrorKind::usage);
  EXPECT_THAT(e.what, HasSubstr("CPU 5 may not be used"));
  EXPECT_THAT(e.help, HasSubstr("0,1,2,3,8"));
  EXPECT_THAT(refused({"--cpus=0-8"}).what, HasSubstr("CPU 4 may not be used"));
}

TEST(ClockTestOptions, MistakesSayWhatToWrite) {
  for (const char* wrong : {"--cpus=", "--cpus=a", "--cpus=3-1", "--cpus=1,,2", "--cpus=-1"})
    EXPECT_FALSE(refused({wrong}).help.empty()) << wrong;
  for (const char* wrong : {"--entries=0", "--entries=-5", "--entries=many", "--entries=99999999999"})
    EXPECT_FALSE(refused({wrong}).help.empty()) << wrong;
  EXPECT_THAT(refused({"--barrier=mfense"}).help, HasSubstr(row(clock::cores::kDefaultBarrier).name));
  EXPECT_THAT(refused({"--barrier"}).what, HasSubstr("a value is missing"));
  EXPECT_THAT(refused({"--frobnicate=1"}).help, HasSubstr("--help"));
  EXPECT_THAT(refused({"--entries=100000000"}).what, HasSubstr("too many for 5 CPUs"));
  EXPECT_FALSE(parse_clock_test({}, {}).ok());
}

TEST(ClockTestOptions, ABarrierOfAnotherMachineIsExplained) {
  for (const auto& b : clock::cores::kBarriers) {
    if (b.here()) continue;
    const auto e = refused({"--barrier=" + std::string(b.name)});
    EXPECT_THAT(e.what, HasSubstr("barrier instruction of " + std::string(name(b.machine))));
    EXPECT_THAT(e.cause, HasSubstr(name(clock::cores::kMachine)));
  }
}

TEST(ClockTestOptions, TheFormatIsTheNamedOneElseThatOfTheFile) {
  EXPECT_THAT(parsed({"--json"}).formats, ElementsAre("json"));
  EXPECT_THAT(parsed({"-o", "x.html"}).formats, ElementsAre("html"));
  EXPECT_THAT(parsed({"-o", "x.html", "--json"}).formats, ElementsAre("json"));
  EXPECT_THAT(parsed({"-o", "x.html", "--output-format=text,json"}).formats, ElementsAre("text", "json"));
  EXPECT_THAT(refused({"--output-format=htlm"}).help, HasSubstr("html"));
}

TEST(ClockTestOptions, TheHelpNamesEveryOption) {
  for (const char* option : {"--cpus", "--entries", "--barrier", "--json", "--output-format", "--output", "--inject"})
    EXPECT_THAT(options::help_text(clock_test_manual()), HasSubstr(option));
}

}  // namespace
}  // namespace fathom::cli::clock_commands
