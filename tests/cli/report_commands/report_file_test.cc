// The file of a report: an older report is not lost before a new one is there.
#include "cli/report_commands/report_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fathom::cli::report_commands {
namespace {

class ReportFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/fathom-report-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::string folder_;
};

TEST_F(ReportFileTest, AnOlderReportStaysUntilTheNewOneIsThere) {
  std::ofstream(path("old")) << "an older and longer report";
  {
    ReportFile file;
    ASSERT_TRUE(file.open(path("old")));
  }
  EXPECT_EQ(text_of(path("old")), "an older and longer report");
  {
    ReportFile file;
    ASSERT_TRUE(file.open(path("old")));
    ASSERT_TRUE(file.write("new"));
    ASSERT_TRUE(file.write(", twice"));
  }
  EXPECT_EQ(text_of(path("old")), "new, twice");
}

TEST_F(ReportFileTest, AnUnusedNewFileIsRemoved) {
  {
    ReportFile file;
    ASSERT_TRUE(file.open(path("new")));
    EXPECT_TRUE(std::filesystem::exists(path("new")));
  }
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  {
    ReportFile file;
    ASSERT_TRUE(file.open(path("new")));
    ASSERT_TRUE(file.write(""));
  }
  EXPECT_TRUE(std::filesystem::exists(path("new")));
}

TEST_F(ReportFileTest, AnUnwritablePathIsRefusedOnOpen) {
  ReportFile file;
  EXPECT_FALSE(file.open(path("no/such/folder")));
  ReportFile device;
  EXPECT_TRUE(device.open("/dev/null"));
  EXPECT_TRUE(device.write("x"));
}

TEST_F(ReportFileTest, ADanglingLinkCreatesItsTarget) {
  std::filesystem::create_symlink(path("target"), path("link"));
  ReportFile file;
  ASSERT_TRUE(file.open(path("link")));
  ASSERT_TRUE(file.write("x"));
  EXPECT_EQ(text_of(path("target")), "x");
}

// Who has it open sees the old one to its end, and nobody ever sees a part of the new one.
TEST_F(ReportFileTest, ANewReportTakesTheNameOfTheOldOneInOneStep) {
  std::ofstream(path("old")) << "an older report";
  std::filesystem::permissions(path("old"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::ifstream reader(path("old"));
  ReportFile file;
  ASSERT_TRUE(file.open(path("old")));
  ASSERT_TRUE(file.write("new"));
  std::ostringstream seen;
  seen << reader.rdbuf();
  EXPECT_EQ(seen.str(), "an older report");
  EXPECT_EQ(text_of(path("old")), "new");
  EXPECT_EQ(std::filesystem::status(path("old")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_FALSE(std::filesystem::exists(path("old.new")));
}

// A second name, or a link, keeps what it names.
TEST_F(ReportFileTest, OfSeveralNamesTheFileIsWrittenInPlace) {
  std::ofstream(path("old")) << "an older report";
  std::filesystem::create_hard_link(path("old"), path("second"));
  ReportFile file;
  ASSERT_TRUE(file.open(path("old")));
  ASSERT_TRUE(file.write("new"));
  EXPECT_EQ(text_of(path("second")), "new");
}

TEST_F(ReportFileTest, ThroughALinkItsTargetIsReplaced) {
  std::ofstream(path("target")) << "an older report";
  std::filesystem::create_symlink(path("target"), path("link"));
  ReportFile file;
  ASSERT_TRUE(file.open(path("link")));
  ASSERT_TRUE(file.write("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("target")), "new");
}

}  // namespace
}  // namespace fathom::cli::report_commands
