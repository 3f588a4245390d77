// Who is meant: the rules of dispatch, one by one.
#include "cli/dispatch.h"

#include <gtest/gtest.h>

#include "cli/exit_codes.h"
#include "cli/show_error.h"

namespace fathom::cli {
namespace {

Entry applet(std::string_view program, std::vector<std::string> args, std::vector<std::string> files = {}) {
  return choose_applet(program, args,
                       [&](const std::string& f) { return std::find(files.begin(), files.end(), f) != files.end(); });
}

TEST(Dispatch, CalledAsFioAllArgumentsAreFios) {
  EXPECT_EQ(applet("/usr/local/bin/fio", {"run"}).applet, Applet::fio);
  EXPECT_EQ(applet("fio", {"--version"}).applet, Applet::fio);
  EXPECT_EQ(applet("fio", {}).applet, Applet::fio);
}

TEST(Dispatch, CalledAsPmbenchAllArgumentsArePmbenchs) {
  const auto e = applet("build/pmbench", {"-m", "64", "run"});
  EXPECT_EQ(e.applet, Applet::pmbench);
  EXPECT_EQ(e.args.size(), 3u);
}

TEST(Dispatch, OptionsMeanFioMode) {
  const auto e = applet("fathom", {"--name=a", "--rw=read"});
  EXPECT_EQ(e.applet, Applet::fio);
  EXPECT_EQ(e.args.size(), 2u);
}

TEST(Dispatch, VersionAndHelpAreFathomsOwn) {
  for (const char* v : {"--version", "-v"}) EXPECT_EQ(applet("fathom", {v}).name, "version");
  for (const char* h : {"--help", "-h"}) EXPECT_EQ(applet("fathom", {h}).name, "help");
}

TEST(Dispatch, ASubcommandWinsOverAFileOfItsName) {
  EXPECT_EQ(applet("fathom", {"run", "x.fio"}, {"run"}).applet, Applet::subcommand);
  EXPECT_EQ(applet("fathom", {"./run"}, {"./run"}).applet, Applet::fio);
}

TEST(Dispatch, AFileMeansFioModeAnythingElseIsUnknown) {
  EXPECT_EQ(applet("fathom", {"job.fio"}, {"job.fio"}).applet, Applet::fio);
  EXPECT_EQ(applet("fathom", {"rum"}).applet, Applet::unknown);
  EXPECT_EQ(applet("fathom", {}).applet, Applet::nothing);
}

TEST(ShowError, ShowsPlaceCaretCauseAndHelp) {
  base::Error e;
  e.what = "`4x` is not a size";
  e.cause = "`x` is no unit";
  e.help = "bs=4k";
  e.place = base::SourcePlace{"job.fio", 3, 4, "bs=4x", 2};
  EXPECT_EQ(render_error(e, "fathom"),
            "job.fio:3:4: error: `4x` is not a size\n    bs=4x\n       ^^\n  cause: `x` is no unit\n  help: bs=4k\n");
}

TEST(ExitCodes, TheKindDecidesButFioModeReturnsOne) {
  base::Error e;
  for (auto [kind, code] :
       {std::pair{base::ErrorKind::usage, 2}, {base::ErrorKind::privilege, 3}, {base::ErrorKind::io, 4}}) {
    e.kind = kind;
    EXPECT_EQ(exit_code(e, false), code);
    EXPECT_EQ(exit_code(e, true), 1);
  }
}

TEST(ShowError, EveryMistakeHasItsPlace) {
  base::Error first, second;
  first.what = "one";
  first.place = base::SourcePlace{"t.fio", 2, 1, "uid=3", 3};
  second.what = "two";
  second.place = base::SourcePlace{"t.fio", 5, 1, "gid=3", 3};
  EXPECT_EQ(render_error(base::joined({first, second}), "fio"),
            "t.fio:2:1: error: one\n    uid=3\n    ^^^\nt.fio:5:1: error: two\n    gid=3\n    ^^^\n");
}

}  // namespace
}  // namespace fathom::cli
