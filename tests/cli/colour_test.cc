// Which words have a colour, and when.
#include "cli/colour.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace fathom::cli {
namespace {

TEST(Coloured, TheWordsThatALineBeginsWith) {
  EXPECT_EQ(coloured("  checks   passed: yes\n"), "  checks   \x1b[1;32mpassed\x1b[0m: yes\n");
  EXPECT_EQ(coloured("  checks   2 warnings: 1\n"), "  checks   \x1b[1;33m2 warnings\x1b[0m: 1\n");
  EXPECT_EQ(coloured("  checks   FAILED: 1\n"), "  checks   \x1b[1;31mFAILED\x1b[0m: 1\n");
  EXPECT_EQ(coloured("  warning [x]: y\n  error [x]: y\n"),
            "  \x1b[1;33mwarning\x1b[0m [x]: y\n  \x1b[1;31merror\x1b[0m [x]: y\n");
}

TEST(Coloured, NothingElse) {
  for (const char* text : {"", "\n", "a warning\n", "  warnings: 3\n", "  read: IOPS=3\n", "  checks   nothing\n",
                           "  checks\n", "   error\n", "  no newline"})
    EXPECT_EQ(coloured(text), text);
}

// Standard output of a test is no terminal, or may be one: what must hold does in both.
TEST(Colour, IsForbiddenAndAskedForByTheEnvironment) {
  unsetenv("NO_COLOR");
  setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(wants_colour(STDOUT_FILENO));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colour(STDOUT_FILENO));
  unsetenv("NO_COLOR");
  setenv("CLICOLOR_FORCE", "0", 1);
  std::FILE* file = std::tmpfile();
  EXPECT_FALSE(wants_colour(::fileno(file)));
  std::fclose(file);
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_colour(STDOUT_FILENO));
  unsetenv("CLICOLOR_FORCE");
}

}  // namespace
}  // namespace fathom::cli
