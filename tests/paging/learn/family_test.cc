// Who of a command is observed: a tree of processes as /proc shows it, made of files.
#include "paging/learn/family.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fathom::paging::learn {
namespace {

namespace fs = std::filesystem;

// Numbers above any that the kernel gives, so that no process has them.
constexpr int kShell = 900000000, kWorker = 900000001, kOther = 900000002, kForeign = 900000003;

class ProcessFamily : public testing::Test {
 protected:
  void SetUp() override { folder_ = testing::TempDir() + "proc." + std::to_string(getpid()); }
  void TearDown() override { fs::remove_all(folder_); }
  void put(int pid, int parent, unsigned pages, const std::string& name, char state = 'S', unsigned flags = 0) {
    const std::string one = folder_ + "/" + std::to_string(pid);
    fs::create_directories(one);
    std::ofstream(one + "/stat", std::ios::trunc)
        << pid << " (" << name << ") " << state << " " << parent << " 1 1 0 -1 " << flags
        << " 0 0 0 0 0 0 0 0 20 0 1 0 5000 8192000 " << pages << " 1\n";
  }
  void end(int pid) { fs::remove_all(folder_ + "/" + std::to_string(pid)); }
  static std::uint64_t bytes(unsigned pages) { return std::uint64_t{pages} * static_cast<unsigned>(getpagesize()); }
  std::string folder_;
};

TEST_F(ProcessFamily, ProcessTreeHoldsTheRootAndItsDescendants) {
  put(kShell, 1, 100, "sh");
  put(kWorker, kOther, 5000, "work");
  put(kOther, kShell, 200, "env");
  put(kForeign, 1, 90000, "foreign");
  fs::create_directories(folder_ + "/self");
  auto tree = process_tree(kShell, folder_);
  ASSERT_EQ(tree.size(), 3u);
  EXPECT_EQ(tree[0].pid, kShell);
  EXPECT_EQ(heaviest(tree)->pid, kWorker) << "a child's child counts too";
  EXPECT_EQ(heaviest(tree)->resident_bytes, bytes(5000));
  EXPECT_EQ(heaviest(tree)->name, "work");
  put(kWorker, kOther, 5000, "work", 'Z');
  EXPECT_EQ(heaviest(process_tree(kShell, folder_))->pid, kOther) << "a zombie has ended";
  end(kShell);
  EXPECT_TRUE(process_tree(kShell, folder_).empty());
  EXPECT_EQ(heaviest({}), nullptr);
}

TEST_F(ProcessFamily, TheProcessOfACommandWithMostMemoryIsChosen) {
  put(kShell, 1, 100, "sh");
  Family family(kShell, true, folder_);
  EXPECT_TRUE(family.findings().empty());
  family.look();
  EXPECT_FALSE(family.over());
  EXPECT_FALSE(family.heavier_than(kShell, 1.1, 0));
  put(kWorker, kShell, 300, "work");
  family.look();
  ASSERT_TRUE(family.heavier_than(kShell, 2, 0));
  EXPECT_EQ(family.heavier_than(kShell, 2, 0)->pid, kWorker);
  EXPECT_FALSE(family.heavier_than(kShell, 4, 0));
  EXPECT_FALSE(family.heavier_than(kShell, 2, 1 << 20));
  EXPECT_FALSE(family.heavier_than(kWorker, 1.1, 0));
  EXPECT_TRUE(family.heavier_than(kOther, 2, 0)) << "one that has ended has nothing";
  end(kShell);
  family.look();
  EXPECT_TRUE(family.over());
}

TEST_F(ProcessFamily, ProcessesOfACommandOutsideTheProfileAreAFinding) {
  put(kShell, 1, 100, "sh");
  put(kWorker, kShell, 300, "work");
  Family family(kShell, true, folder_);
  family.begins(kWorker);
  auto findings = family.findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "learn.process");
  EXPECT_EQ(findings[0].severity, result::Severity::note);
  EXPECT_NE(findings[0].evidence.find("2 processes 900000001 (work"), std::string::npos) << findings[0].evidence;
  put(kOther, kShell, 9000, "late");
  family.look();
  findings = family.findings();
  EXPECT_EQ(findings[0].severity, result::Severity::warning) << "it had more, later";
  EXPECT_NE(findings[0].evidence.find("(late"), std::string::npos) << findings[0].evidence;
  EXPECT_NE(findings[0].remedy.find("--pid=900000002"), std::string::npos) << findings[0].remedy;
}

TEST_F(ProcessFamily, ChildrenOfAGivenPidAreAFinding) {
  put(kShell, 1, 100, "sh");
  Family family(kShell, false, folder_);
  family.begins(kShell);
  EXPECT_TRUE(family.findings().empty());
  put(kWorker, kShell, 300, "work");
  family.look();
  EXPECT_FALSE(family.heavier_than(kShell, 1.1, 0)) << "the user has chosen";
  const auto findings = family.findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "learn.children");
  EXPECT_EQ(findings[0].severity, result::Severity::warning);
  EXPECT_FALSE(family.over());
}

}  // namespace
}  // namespace fathom::paging::learn
