// Everything that is said about options comes from their rows.
#include "source_dir.h"
#include "support.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "io/engines.h"
#include "job/option.h"

namespace fathom::job {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// After a change of a row: FATHOM_WRITE_COMPAT=1 build/test_job --gtest_filter='Compat.*'
TEST(Compat, CompatMdMatchesTheOptionRows) {
  const std::string path = in_source("docs/reference/fio-options.md");
  if (std::getenv("FATHOM_WRITE_COMPAT")) std::ofstream(path) << compat_markdown();
  EXPECT_EQ(contents(path), compat_markdown())
      << "docs/reference/fio-options.md is stale: FATHOM_WRITE_COMPAT=1 build/test_job --gtest_filter='Compat.*'";
}

TEST(Compat, CompatMdNamesEveryOption) {
  const auto text = compat_markdown();
  for (const auto& group : option_groups())
    for (const auto& option : group.rows)
      EXPECT_NE(text.find("| `" + std::string(option.name()) + "` |"), std::string::npos) << option.name();
  for (const auto& option : options_not_built())
    EXPECT_NE(text.find("`" + std::string(option.name()) + "`"), std::string::npos);
}

TEST(Cmdhelp, OneOptionIsShownWithFiosFields) {
  const auto help = option_help("blocksize");
  ASSERT_TRUE(help.ok());
  for (const char* part :
       {"bs: Bytes of one I/O", "alias: blocksize", "type: size", "default: 4k", "range: min=1, max=2147483648"})
    EXPECT_NE(help->find(part), std::string::npos) << part << " in\n" << *help;
  EXPECT_NE(option_help("rw")->find("valid values: read "), std::string::npos);
  EXPECT_NE(option_help("random_distribution")->find("valid values: random "), std::string::npos);
  EXPECT_NE(option_help("sync_file_range")->find("valid values: wait_before "), std::string::npos);
  const auto engines = option_help("ioengine");
  for (const auto& engine : io::engines())
    EXPECT_NE(engines->find(fmt::format(": {:<14} {}\n", engine.name, engine.summary)), std::string::npos);
}

TEST(Cmdhelp, AllHasALineForEachOption) {
  const auto all = option_help("all");
  ASSERT_TRUE(all.ok());
  std::size_t options = 0;
  for (const auto& group : option_groups()) options += group.rows.size();
  EXPECT_EQ(static_cast<std::size_t>(std::count(all->begin(), all->end(), '\n')), options);
}

TEST(Cmdhelp, UnknownAndUnbuiltOptionsAreErrors) {
  EXPECT_NE(option_help("iodeph").error().help.find("iodepth"), std::string::npos);
  EXPECT_EQ(option_help("gpu_dev_id").error().kind, base::ErrorKind::not_built);
}

TEST(Enghelp, ListsAnEnginesOptions) {
  EXPECT_NE(engine_option_help("io_uring").find("sqthread_poll_cpu"), std::string::npos);
  EXPECT_EQ(engine_option_help("io_uring").find("hipri_percentage"), std::string::npos);
  EXPECT_NE(engine_option_help("pvsync2").find("hipri_percentage"), std::string::npos);
  EXPECT_EQ(engine_option_help("null"), "");
}

TEST(Scdoc, EscapesUnderscoresAndDollars) {
  const auto text = options_scdoc();
  EXPECT_NE(text.find("*iodepth\\_batch*="), std::string::npos);
  EXPECT_EQ(text.find("$jobname.$jobnum.$filenum") == std::string::npos, false);
}

TEST(Scdoc, ListsValuesALineEach) {
  const auto text = options_scdoc();
  EXPECT_NE(text.find(" Values:\n\t- *read*: sequential reads (default)\n"), std::string::npos);
  EXPECT_NE(text.find("\n\t- *randread*: random reads\n"), std::string::npos);
}

TEST(FuzzDictionary, HasTheFormOfLibfuzzer) {
  std::istringstream lines(fuzz_dictionary());
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    ASSERT_GE(line.size(), 3u);
    EXPECT_EQ(line.front(), '"');
    EXPECT_EQ(line.back(), '"');
    EXPECT_EQ(line.find('"', 1), line.size() - 1) << line;
    EXPECT_EQ(line.find('\\'), std::string::npos) << line;
    ++count;
  }
  EXPECT_GT(count, 150u);
}

}  // namespace
}  // namespace fathom::job
