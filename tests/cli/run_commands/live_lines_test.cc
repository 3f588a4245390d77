// Lines drawn over lines: how far up, at which width.
#include "cli/run_commands/live_lines.h"

#include <gtest/gtest.h>

namespace fathom::cli::run_commands {
namespace {

TEST(LiveLines, TheFirstTimeNothingIsAbove) {
  const std::string lines[] = {"a", "b"};
  EXPECT_EQ(drawn_over({}, lines, 80), "\r\x1b[Ja\nb");
}

TEST(LiveLines, GoesUpByTheRowsThatStandThere) {
  const std::string lines[] = {"a"};
  const std::size_t widths[] = {10, 79, 0};
  EXPECT_EQ(drawn_over(widths, lines, 80), "\r\x1b[2A\x1b[Ja");
}

TEST(LiveLines, ANarrowerTerminalHasBrokenThem) {
  const std::string lines[] = {"a"};
  const std::size_t widths[] = {79, 79};
  EXPECT_EQ(drawn_over(widths, lines, 40), "\r\x1b[3A\x1b[Ja");
}

}  // namespace
}  // namespace fathom::cli::run_commands
