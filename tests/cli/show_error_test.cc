// Errors quote the user's text: the caret meets its column whatever the text holds.
#include "cli/show_error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom::cli {
namespace {

base::Error error_at(std::string line, int column, int length) {
  base::Error e;
  e.what = "not a size";
  e.place = base::SourcePlace{"a.fio", 3, column, std::move(line), length};
  return e;
}

TEST(ShowError, TheCaretStandsUnderTheText) {
  EXPECT_EQ(render_error(error_at("bs=4x", 4, 2), "fathom"), "a.fio:3:4: error: not a size\n    bs=4x\n       ^^\n");
  EXPECT_EQ(render_error(error_at("\tbs=4x", 5, 2), "fathom"),
            "a.fio:3:5: error: not a size\n    \tbs=4x\n    \t   ^^\n");
  EXPECT_EQ(render_error(error_at("bs=", 4, 1), "fathom"), "a.fio:3:4: error: not a size\n    bs=\n       ^\n");
}

TEST(ShowError, QuotesNoCommandLineThatTheUserDidNotType) {
  auto made = error_at("--set=bs=4q", 10, 2);
  made.place->file = "<command line>", made.place->line = 1;
  made.also.push_back(made);
  const std::vector<std::string> sweep = {"job.fio", "--over=bs=4q,8k"};
  EXPECT_EQ(render_error(as_typed(made, sweep), "fathom sweep"),
            "fathom sweep: error: not a size\nfathom sweep: error: not a size\n");
  for (const std::vector<std::string>& typed :
       {std::vector<std::string>{"job.fio", "--set=bs=4q"}, {"job.fio", "--set", "bs=4q"}})
    EXPECT_NE(render_error(as_typed(made, typed), "fathom").find("    --set=bs=4q\n             ^^\n"),
              std::string::npos);
  EXPECT_NE(render_error(as_typed(error_at("bs=4q", 4, 2), sweep), "fathom").find("^^"), std::string::npos)
      << "a job file";
}

TEST(ShowError, ControlCharactersAreEscapedAndMeasured) {
  EXPECT_EQ(render_error(error_at("\x1b=4\nx", 3, 3), "fathom"),
            "a.fio:3:3: error: not a size\n    \\x1b=4\\nx\n         ^^^^\n");
  base::Error e;
  e.what = "a\nb\x1b";
  e.cause = "\xC2\x9B";
  e.help = "\r";
  EXPECT_EQ(render_error(e, "fathom"), "fathom: error: a\\nb\\x1b\n  cause: \\u009b\n  help: \\r\n");
}

}  // namespace
}  // namespace fathom::cli
