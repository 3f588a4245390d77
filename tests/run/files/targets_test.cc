// Planning targets and laying files out, on real files.
#include "run/files/targets.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "job/fields/offset_choice.h"
#include "run/files/layout.h"
#include "run/files/open_files.h"
#include "run/runner.h"

namespace fathom::run::files {
namespace {

class Targets : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/fathom-targets-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    job_.name = job_.section_name = "j";
    job_.directories = {directory_};
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string make(const std::string& name, std::size_t bytes) {
    std::ofstream(directory_ + "/" + name) << std::string(bytes, 'x');
    return directory_ + "/" + name;
  }
  Plan planned() {
    auto plan = plan_targets(job_);
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().cause);
    return plan.ok() ? *plan : Plan{};
  }
  std::string refusal() {
    auto plan = plan_targets(job_);
    EXPECT_FALSE(plan.ok());
    return plan.ok() ? "" : plan.error().what + ": " + plan.error().cause;
  }
  void size(std::uint64_t bytes) { job_.size = {bytes, 0, true}; }
  std::string directory_;
  job::Job job_;
  std::atomic<std::uint32_t> stop_{0};
};

// effect: offset_align
TEST_F(Targets, offset_align_rounds_an_offset_in_percent_up) {
  job_.filenames = {make("f", 100'000)};
  job_.offset = {0, 10, true};
  EXPECT_EQ(planned().targets[0].start, 12288u) << "the smallest bs";
  job_.own.get<job::fields::OffsetChoice>().offset_align = 16384;
  EXPECT_EQ(planned().targets[0].start, 16384u);
  job_.offset = {5000, 0, true};
  EXPECT_EQ(planned().targets[0].start, 5000u) << "not in percent";
}

// effect: zonemode=strided
TEST_F(Targets, zonemode_strided_reaches_over_the_whole_file) {
  job_.filenames = {make("f", 65536)};
  size(8192);
  EXPECT_EQ(planned().targets[0].length, 8192u);
  job_.own.get<job::fields::StridedZones>() = {{}, true, 4096, 4096, 0};
  EXPECT_EQ(planned().targets[0].length, 65536u);
  job_.filenames = {directory_ + "/new"};
  EXPECT_EQ(planned().targets[0].length, 8192u) << "a file that is still to be made";
}

// effect: random_distribution=sequence
TEST_F(Targets, a_sequence_outside_of_the_file_is_refused) {
  job_.filenames = {make("f", 65536)};
  job_.mode.random = true;
  job_.own.get<job::fields::OffsetChoice>().sequence = {0, 15};
  planned();
  job_.own.get<job::fields::OffsetChoice>().sequence = {0, 16};
  EXPECT_NE(refusal().find("sequence access block 16 in base pattern out of bounds (max 15) for file"),
            std::string::npos);
}

// effect: spr_cs
TEST_F(Targets, sprandom_needs_regions_larger_than_spr_cs) {
  job_.filenames = {make("f", 1 << 20)};
  auto& sprandom = job_.own.get<job::fields::SpRandom>();
  sprandom = {{}, true, 0.25, 10, 131'071};
  planned();
  sprandom.cache_bytes = 131'072;
  EXPECT_NE(refusal().find("as large as a region"), std::string::npos);
  sprandom.used = false;
  planned();
}

// effect: random_generator=tausworthe
TEST_F(Targets, random_generator_tausworthe_warns_of_more_than_32_bits_of_blocks) {
  job_.ioengine = "null";
  job_.mode.random = true;
  job_.own.get<job::fields::OffsetChoice>().generator = job::fields::Generator::tausworthe;
  size((1ull << 32) * 4096);
  EXPECT_TRUE(planned().job.notes.empty());
  size((1ull << 32) * 4096 + 4096);
  ASSERT_EQ(planned().job.notes.size(), 1u);
  EXPECT_NE(planned().job.notes[0].find("exceeds 32-bit tausworthe"), std::string::npos);
}

TEST_F(Targets, SizeIsSharedAmongFilesWithDefaultNames) {
  size(8192);
  job_.nrfiles = 2;
  job_.subjob = 3;
  const auto plan = planned();
  ASSERT_EQ(plan.targets.size(), 2u);
  EXPECT_EQ(plan.targets[1].path, directory_ + "/j.3.1");
  EXPECT_EQ(plan.targets[1].length, 4096u);
}

TEST_F(Targets, AFileMustHoldOffsetAndSize) {
  size(1 << 20);
  job_.offset = {4096, 0, true};
  job_.offset_increment = {8192, 0, true};
  job_.subjob = 2;
  const auto plan = planned();
  EXPECT_EQ(plan.targets[0].start, 4096u + 2 * 8192);
  EXPECT_EQ(plan.targets[0].size_needed, (1u << 20) + 4096 + 2 * 8192);
}

TEST_F(Targets, WithoutSizeAnExistingFileIsUsedWhole) {
  make("f", 10000);
  job_.filenames = {"f"};
  EXPECT_EQ(planned().targets[0].length, 10000u);
  job_.size = {0, 50, true};
  EXPECT_EQ(planned().targets[0].length, 4096u) << "5000 bytes, in whole blocks of 4096";
}

// filesize= says where a file ends, not how long the window is.
TEST_F(Targets, TheWindowReachesFromTheOffsetToFilesize) {
  make("f", 8 << 20);
  job_.filenames = {"f"};
  job_.filesize_min = job_.filesize_max = 8 << 20;
  job_.offset = {7 << 20, 0, true};
  size(2 << 20);
  auto target = planned().targets[0];
  EXPECT_EQ(target.length, 1u << 20);
  EXPECT_EQ(target.size_needed, 8u << 20) << "nothing is lengthened";
  job_.offset = {9 << 20, 0, true};
  EXPECT_NE(refusal().find("at or beyond the end"), std::string::npos);
  job_.subjob = 1;
  target = planned().targets[0];
  EXPECT_EQ(target.length, 0u) << "a clone with an empty window";
  EXPECT_EQ(target.size_needed, 8u << 20);
}

TEST_F(Targets, SizeInPercentIsOfTheFileFromTheOffsetOn) {
  job_.filenames = {"f"};
  job_.filesize_min = job_.filesize_max = 8 << 20;
  job_.size = {0, 50, true};
  job_.offset = {2 << 20, 0, true};
  const auto target = planned().targets[0];
  EXPECT_EQ(target.length, 4u << 20);
  EXPECT_EQ(target.size_needed, 6u << 20);
}

TEST_F(Targets, PercentagesOfOffsetsAreRoundedUpToABlock) {
  make("f", 8 << 20);
  job_.filenames = {"f"};
  job_.bs_min = job_.bs_max = {65536, 65536, 65536};
  job_.offset_increment = {0, 33, true};
  job_.subjob = 2;
  EXPECT_EQ(planned().targets[0].start, 85u * 65536);
  job_.offset = {1025024, 0, true};  // 1001k
  job_.offset_increment = {0, 10, true};
  job_.subjob = 0;
  EXPECT_EQ(planned().targets[0].start, 1u << 20) << "the sum is rounded, where one of the two is a percentage";
}

TEST_F(Targets, NothingToDoSaysWhy) {
  job_.filenames = {"missing"};
  EXPECT_NE(refusal().find("size= is missing"), std::string::npos);
  make("f", 4096);
  job_.filenames = {"f"};
  job_.offset = {4096, 0, true};
  EXPECT_NE(refusal().find("beyond the end"), std::string::npos);
  job_.filenames = {directory_};
  EXPECT_NE(refusal().find("is a directory"), std::string::npos);
}

TEST_F(Targets, ReadonlyExtendsNothing) {
  make("f", 5000);
  job_.filenames = {"f"};
  job_.readonly = true;
  size(1 << 20);
  auto plan = planned();
  const auto laid_out = lay_out(plan, {}, stop_);
  ASSERT_FALSE(laid_out.ok());
  EXPECT_NE(laid_out.error().cause.find("--readonly"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/f"), 5000u);
}

TEST_F(Targets, AnInterruptedLayoutLeavesNoFileThatLooksWhole) {
  size(64 << 20);
  auto plan = planned();
  const auto interrupt = [&](const LayoutProgress& p) {
    if (p.done_bytes > (8 << 20)) stop_ = 1;
  };
  ASSERT_TRUE(lay_out(plan, interrupt, stop_).ok());
  EXPECT_FALSE(std::filesystem::exists(plan.targets[0].path));
  const auto path = make("f", 5000);
  job_.filenames = {"f"};
  stop_ = 0;
  plan = planned();
  ASSERT_TRUE(lay_out(plan, interrupt, stop_).ok());
  EXPECT_LT(std::filesystem::file_size(path), 16u << 20);
  EXPECT_GE(std::filesystem::file_size(path), 5000u);
}

TEST_F(Targets, FilesizeRangeIsDrawnInWholeBlocksReproducibly) {
  job_.filesize_min = 4096;
  job_.filesize_max = 1 << 20;
  job_.nrfiles = 8;
  const auto a = planned(), b = planned();
  std::set<std::uint64_t> sizes;
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(a.targets[i].length, b.targets[i].length);
    EXPECT_EQ(a.targets[i].length % 4096, 0u);
    EXPECT_GE(a.targets[i].length, 4096u);
    EXPECT_LE(a.targets[i].length, 1u << 20);
    sizes.insert(a.targets[i].length);
  }
  EXPECT_GT(sizes.size(), 3u);
}

TEST_F(Targets, FilesTooSmallForABlockAreRefused) {
  size(4096);
  job_.nrfiles = 1000;
  EXPECT_NE(refusal().find("nothing to do"), std::string::npos);
  job_.nrfiles = 10000;
  EXPECT_NE(refusal().find("less than a byte"), std::string::npos);
}

TEST_F(Targets, APipeIsRefused) {
  ASSERT_EQ(::mkfifo((directory_ + "/p").c_str(), 0600), 0);
  job_.filenames = {"p"};
  EXPECT_NE(refusal().find("pipe"), std::string::npos);
}

TEST_F(Targets, AMissingDirectoryIsAnError) {
  size(4096);
  job_.directories = {directory_ + "/nope"};
  const auto checked = check_directories(job_);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().what.find("not a directory"), std::string::npos);
}

TEST_F(Targets, FilesizeIsTheSizeOfEachFile) {
  job_.filesize_min = job_.filesize_max = 4096;
  job_.nrfiles = 4;
  size(10240);
  const auto plan = planned();
  ASSERT_EQ(plan.targets.size(), 4u);
  EXPECT_EQ(plan.targets[3].length, 4096u);
}

TEST_F(Targets, LayoutFillsForReadsAndNeverShrinks) {
  size(3 << 20);
  auto plan = planned();
  ASSERT_TRUE(lay_out(plan, {}, stop_).ok());
  struct stat st;
  ASSERT_EQ(::stat(plan.targets[0].path.c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 3 << 20);
  EXPECT_GE(st.st_blocks * 512, 3 << 20);
  size(1 << 20);
  auto smaller = planned();
  ASSERT_TRUE(lay_out(smaller, {}, stop_).ok());
  ASSERT_EQ(::stat(plan.targets[0].path.c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 3 << 20);
}

TEST_F(Targets, LayoutKeepsWhatIsThere) {
  const auto path = make("f", 5000);
  job_.filenames = {"f"};
  size(1 << 16);
  auto plan = planned();
  ASSERT_TRUE(lay_out(plan, {}, stop_).ok());
  std::ifstream in(path);
  std::string head(5000, 0);
  in.read(head.data(), 5000);
  EXPECT_EQ(head, std::string(5000, 'x'));
}

TEST_F(Targets, FallocateDecidesTheAllocationOfWrittenFiles) {
  job_.mode.reads = false;
  job_.mode.writes = true;
  size(1 << 20);
  job_.fallocate = job::Fallocate::none;
  auto plan = planned();
  ASSERT_TRUE(lay_out(plan, {}, stop_).ok());
  EXPECT_EQ(std::filesystem::file_size(plan.targets[0].path), 0u);
  job_.fallocate = job::Fallocate::truncate;
  plan = planned();
  ASSERT_TRUE(lay_out(plan, {}, stop_).ok());
  EXPECT_EQ(std::filesystem::file_size(plan.targets[0].path), 1u << 20);
}

TEST_F(Targets, CharacterDevicesAreGuardedUnlessTheyDiscardData) {
  job_.filenames = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/loop-control", "/dev/mem"};
  job_.directories.clear();
  job_.size.set = true;
  job_.size.bytes = 1 << 20;
  const auto by_name = [this] {
    std::set<std::string> names;
    for (const auto& target : write_targets({planned()}))
      if (target.device) names.insert(target.path);
    return names;
  };
  EXPECT_EQ(by_name(), std::set<std::string>());
  job_.mode.writes = true;
  if (!std::filesystem::is_character_file("/dev/loop-control")) GTEST_SKIP() << "/dev/loop-control is not here";
  EXPECT_EQ(by_name().count("/dev/loop-control"), 1u);
  for (const auto* harmless : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"})
    EXPECT_EQ(by_name().count(harmless), 0u) << harmless;
}

TEST_F(Targets, VerifyOnlyIgnoresUnlink) {
  job_.filenames = {make("kept", 4096)};
  job_.unlink = job_.mode.writes = job_.verify_only = true;
  unlink_targets(planned());
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/kept"));
  job_.verify_only = false;
  unlink_targets(planned());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/kept"));
}

TEST_F(Targets, OpeningAMissingFileForReadingFailsWithItsName) {
  size(4096);
  const auto plan = planned();
  auto open = open_targets(plan);
  ASSERT_FALSE(open.ok());
  EXPECT_NE(open.error().what.find("j.0.0"), std::string::npos);
  EXPECT_EQ(open.error().sys_errno, ENOENT);
}

}  // namespace
}  // namespace fathom::run::files
