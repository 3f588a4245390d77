// The command line of `fathom pmu stat`: perf's spellings, where the command begins, what is refused.
#include "cli/pmu_commands/pmu_stat_options.h"

#include <gtest/gtest.h>

namespace fathom::cli::pmu_commands {
namespace {

using Words = std::vector<std::string>;

TEST(StatOptions, TakesPerfsSpellings) {
  const Words spellings[] = {{"-e", "cs", "-r", "3", "-x", ";", "true"},
                             {"-ecs", "-r3", "-x;", "true"},
                             {"--event=cs", "--repeat=3", "--field-separator=;", "--", "true"},
                             {"-e=cs", "-r=3", "-x=;", "true"}};
  for (const auto& words : spellings) {
    const auto options = read_stat_options(words);
    ASSERT_TRUE(options) << words[0] << ": " << options.error().what;
    EXPECT_EQ(options->events, "cs");
    EXPECT_EQ(options->runs, 3u);
    EXPECT_EQ(options->format, StatFormat::csv);
    EXPECT_EQ(options->separator, ";");
    EXPECT_EQ(options->command, (Words{"true"}));
  }
}

TEST(StatOptions, TheCommandKeepsItsOptions) {
  const auto options = read_stat_options(Words{"-e", "p/a=1,b/", "-e", "cs", "fio", "-e", "--name=x", "--"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->events, "p/a=1,b/,cs");
  EXPECT_EQ(options->command, (Words{"fio", "-e", "--name=x", "--"}));
}

struct Wrong {
  Texts texts;
  const char* what;
};

TEST(StatOptions, RefusesInvalidCombinations) {
  const Wrong wrongs[] = {
      {{"true"}, "nothing to count"},
      {{"-e", "cs"}, "no command"},
      {{"-a", "-r2", "-e", "cs"}, "there is none"},
      {{"-e", "cs", "-r0", "true"}, "-r 0: out of range"},
      {{"-e", "cs", "-I5", "true"}, "-I 5: out of range"},
      {{"-e", "cs", "-I100", "-r2", "true"}, "-I shows one run"},
      {{"-e", "cs", "--evnt", "x", "true"}, "no option `--evnt`"},
      {{"-e", "cs", "--output-format=xml", "true"}, "not a value of --output-format"},
      {{"-e", "cs", "--unit-bytes=0", "true"}, "above 0"},
      {{"-e"}, "a value is missing"},
  };
  for (const auto& wrong : wrongs) {
    const auto options = read_stat_options(wrong.words);
    ASSERT_FALSE(options) << wrong.what;
    EXPECT_NE(options.error().what.find(wrong.what), std::string::npos) << options.error().what;
  }
}

TEST(StatOptions, AllCpusNeedsNoCommand) {
  const auto options = read_stat_options(Words{"-a", "-e", "cs", "-j", "-o", "-"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->all_cpus);
  EXPECT_EQ(options->format, StatFormat::json);
  EXPECT_EQ(options->output, "-");
}

}  // namespace
}  // namespace fathom::cli::pmu_commands
