// Which words a shell would change, and that quoting keeps them.
#include "base/text/shell_word.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fathom::base::text
