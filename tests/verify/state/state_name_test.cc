// Names as fio 3.33 makes them (the job's by a look at what it wrote, tests/verify/state_fio_test.cc).
#include "verify/state/state_name.h"

#include <gtest/gtest.h>

namespace fathom::verify::state {
namespace {

TEST(StateName, MatchesFio) {
  EXPECT_EQ(state_file_name("job", 0), "local-job-0-verify.state");
  EXPECT_EQ(state_file_name("job", 12), "local-job-12-verify.state");
  EXPECT_EQ(state_file_name("", 0), "local--0-verify.state");
}

TEST(StateName, ASlashOfTheJobsNameIsADot) {
  EXPECT_EQ(state_file_name("/dev/sda", 3), "local-.dev.sda-3-verify.state");
  EXPECT_EQ(state_file_name("../x", 0), "local-...x-0-verify.state");
}

TEST(StateName, ThePrefixAndAuxPathStay) {
  EXPECT_EQ(state_file_name("a/b", 0, "/var/aux"), "/var/aux/local-a.b-0-verify.state");
  EXPECT_EQ(state_file_name("a", 0, "", "10.0.0.1"), "10.0.0.1-a-0-verify.state");
}

}  // namespace
}  // namespace fathom::verify::state
