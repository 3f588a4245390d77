// Which failed I/Os a job goes on after: fio's rules.
#include "job/fields/errors.h"

#include <cerrno>

#include "job/fields/ends.h"
#include "job/support.h"

namespace fathom::job::fields {
namespace {

bool goes_on(const std::string& lines, io::Dir dir, int err) {
  return goes_on_after(one_job("size=1m\n" + lines).of<Errors>(), dir, err);
}

TEST(ErrorOptions, FailedIosAreFatalByDefault) {
  for (const auto* lines : {"", "continue_on_error=none", "continue_on_error=0"})
    for (const auto dir : {io::Dir::read, io::Dir::write, io::Dir::trim, io::Dir::sync})
      for (const int err : {EIO, EILSEQ, ENOSPC}) EXPECT_FALSE(goes_on(lines, dir, err)) << lines << err;
}

// effect: continue_on_error
TEST(ErrorOptions, ContinueOnErrorSelectsDirectionsAndVerify) {
  struct Row {
    const char* value;
    bool read, write, trim, verify;
  };
  for (const Row row : {Row{"read", true, false, false, false}, Row{"write", false, true, true, false},
                        Row{"io", true, true, true, false}, Row{"verify", false, false, false, true},
                        Row{"all", true, true, true, true}, Row{"1", true, true, true, true}}) {
    const auto lines = std::string("continue_on_error=") + row.value;
    EXPECT_EQ(goes_on(lines, io::Dir::read, EIO), row.read) << lines;
    EXPECT_EQ(goes_on(lines, io::Dir::write, EIO), row.write) << lines;
    EXPECT_EQ(goes_on(lines, io::Dir::trim, EIO), row.trim) << lines;
    EXPECT_EQ(goes_on(lines, io::Dir::read, EILSEQ), row.verify) << lines;
    EXPECT_EQ(goes_on(lines, io::Dir::write, EILSEQ), row.verify) << "a wrong block is of verification: " << lines;
    EXPECT_FALSE(goes_on(lines, io::Dir::read, ENOSPC)) << "only EIO and EILSEQ are not fatal: " << lines;
  }
}

// effect: ignore_error
TEST(ErrorOptions, IgnoreErrorReplacesTheDefaultList) {
  const std::string lines = "ignore_error=EAGAIN:121,ENOSPC,";
  EXPECT_TRUE(goes_on(lines, io::Dir::read, EAGAIN));
  EXPECT_TRUE(goes_on(lines, io::Dir::read, EREMOTEIO));
  EXPECT_FALSE(goes_on(lines, io::Dir::read, EIO)) << "the list stands in its place";
  EXPECT_TRUE(goes_on(lines, io::Dir::write, ENOSPC));
  EXPECT_FALSE(goes_on(lines, io::Dir::write, EAGAIN));
  EXPECT_FALSE(goes_on(lines, io::Dir::read, EILSEQ));
  EXPECT_TRUE(goes_on(lines + "\ncontinue_on_error=verify", io::Dir::read, EILSEQ));
  EXPECT_TRUE(goes_on("ignore_error=,,EILSEQ", io::Dir::read, EILSEQ));
}

TEST(ErrorOptions, WrongListsAreRefused) {
  const auto refused = [](const std::string& line) {
    const auto set = parse_job_text("[a]\nsize=1m\n" + line + "\n", "t.fio", World{}.env());
    return set ? std::string() : set.error().what;
  };
  EXPECT_NE(refused("ignore_error=ENOTHING").find("Unknown error ENOTHING, please use number value"),
            std::string::npos);
  EXPECT_NE(refused("ignore_error=EIO,EIO,EIO,EIO").find("more than three"), std::string::npos);
  EXPECT_NE(refused("continue_on_error=some"), "");
}

TEST(ErrorOptions, ExitWhatDefaultsToTheGroup) {
  EXPECT_EQ(one_job("size=1m").of<Ends>().what, ExitWhat::group);
  EXPECT_EQ(one_job("size=1m\nexit_what=stonewall").of<Ends>().what, ExitWhat::stonewall);
  EXPECT_EQ(one_job("size=1m\nexit_what=all").of<Ends>().what, ExitWhat::all);
  EXPECT_TRUE(one_job("size=1m\nexitall_on_error").of<Ends>().on_error);
}

}  // namespace
}  // namespace fathom::job::fields
