// The file of a report (base/files/output_file_test.cc has what can happen to files): several texts follow each other in it.
#include "cli/report_commands/report_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fathom::cli::report_commands {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ReportFile, AnOlderReportStaysUntilTheNewOneIsThere) {
  char name[] = "/tmp/fathom-report-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const std::string path = std::string(name) + "/report";
  std::ofstream(path) << "  measured randread, an older and longer report\n  checks   passed\n";
  Outputs outputs;
  ReportFile file;
  ASSERT_TRUE(file.open(outputs, "--output", path));
  EXPECT_TRUE(text_of(path).starts_with("  measured")) << "only looked at";
  ASSERT_TRUE(file.write("new"));
  ASSERT_TRUE(file.write(", twice"));
  EXPECT_EQ(text_of(path), "new, twice");
  ReportFile second;
  EXPECT_FALSE(second.open(outputs, "--report", path)) << "one file is one output";
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace fathom::cli::report_commands
