// The fuzzer's corpus, in every test run: no file crashes the parser, and each says by its first line what must come of
// it.
#include "source_dir.h"
#include "support.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fathom::job {
namespace {

TEST(JobParserCorpus, EveryFileIsAcceptedOrRefusedAsItsFirstLineSays) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_source("tests/job/corpus"))) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const bool good = text.str().substr(0, 6) == "; good";
    const auto set = parse_job_text(text.str(), entry.path().filename(), World{}.env());
    EXPECT_EQ(set.ok(), good) << entry.path() << (set.ok() ? "" : ": " + set.error().what);
    if (good) {
      EXPECT_FALSE(set->jobs.empty()) << entry.path();
    }
    if (!set.ok()) {
      EXPECT_TRUE(set.error().place.has_value()) << entry.path();
    }
    ++files;
  }
  EXPECT_GE(files, 20u);
}

}  // namespace
}  // namespace fathom::job
