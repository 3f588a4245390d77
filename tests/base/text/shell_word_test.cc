// Which words a shell would change, and that quoting keeps them.
#include "base/text/shell_word.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom::base::text {
namespace {

TEST(ShellWord, IsQuotedWhereAShellWouldChangeIt) {
  EXPECT_EQ(shell_word("--over=rate_iops=10%..100%+10%"), "--over=rate_iops=10%..100%+10%");
  EXPECT_EQ(shell_word("--slo=lat_p99<500us"), "'--slo=lat_p99<500us'");
  EXPECT_EQ(shell_word("1..8*2"), "'1..8*2'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(command_text(std::vector<std::string>{"fathom", "sweep", "my job.fio"}), "fathom sweep 'my job.fio'");
}

TEST(CommandLines, AreOneCommandToAShell) {
  const std::string command = "fathom sweep 'my job.fio' --over=iodepth=1..4 'it'\\''s one'";
  EXPECT_EQ(command_lines(command, 80), command) << "it fits";
  EXPECT_EQ(command_lines(command, 40), "fathom sweep 'my job.fio' \\\n    --over=iodepth=1..4 'it'\\''s one'");
  EXPECT_EQ(command_lines(command, 30), "fathom sweep 'my job.fio' \\\n    --over=iodepth=1..4 \\\n    'it'\\''s one'");
  for (std::size_t columns = 1; columns < 70; ++columns) {
    std::string one = command_lines(command, columns);
    for (std::size_t at = 0; (at = one.find(" \\\n    ")) != one.npos;) one.replace(at, 7, " ");
    EXPECT_EQ(one, command) << columns;
  }
}

}  // namespace
}  // namespace fathom::base::text
