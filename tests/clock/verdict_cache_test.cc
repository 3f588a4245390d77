// The cache on a real file system: coverage of CPUs, foreign and malformed files, links, modes.
#include "clock/verdict_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clock/verdict_text.h"

namespace fathom::clock {
namespace {

namespace fs = std::filesystem;

class VerdictCacheFiles : public testing::Test {
 protected:
  VerdictCacheFiles() {
    std::string pattern = (fs::temp_directory_path() / "fathom-cache-XXXXXX").string();
    top = ::mkdtemp(pattern.data());
    place = {{top / "fathom"}, top / "fathom", "boot-1"};
  }
  ~VerdictCacheFiles() override { fs::remove_all(top); }

  static TestSummary verdict(std::vector<unsigned> cpus, Outcome outcome = Outcome::passed) {
    TestSummary t;
    t.outcome = outcome;
    t.kind = TestKind::full;
    t.cpus = std::move(cpus);
    t.entries_per_cpu = 100'000;
    t.text = "words";
    return t;
  }
  std::string store(std::vector<unsigned> cpus, Outcome outcome = Outcome::passed) {
    auto path = store_verdict(verdict(std::move(cpus), outcome), place);
    EXPECT_TRUE(path.ok());
    return path.ok() ? *path : "";
  }
  std::optional<TestSummary> load(std::vector<unsigned> cpus) { return load_verdict(cpus, place); }

  fs::path top;
  VerdictCache place;
};

TEST_F(VerdictCacheFiles, AnEmptyFolderHasNoVerdict) {
  EXPECT_FALSE(load({0}));
  EXPECT_FALSE(load_drift(place));
}

TEST_F(VerdictCacheFiles, AVerdictCoversTheTestedCpusOnly) {
  store({0, 1, 2, 5});
  for (const auto& asked : std::vector<std::vector<unsigned>>{{0}, {0, 1}, {1, 5}, {0, 1, 2, 5}}) {
    const auto found = load(asked);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->cached);
    EXPECT_EQ(found->outcome, Outcome::passed);
    EXPECT_EQ(found->cpus, (std::vector<unsigned>{0, 1, 2, 5}));
  }
  EXPECT_FALSE(load({3}));
  EXPECT_FALSE(load({0, 3}));
  EXPECT_FALSE(load({}));
}

TEST_F(VerdictCacheFiles, EachSetOfCpusHasItsFileAndTheLatestCounts) {
  const auto wide = store({0, 1, 2, 3});
  const auto narrow = store({0, 1}, Outcome::failed);
  EXPECT_NE(wide, narrow);
  EXPECT_EQ(load({0, 1})->outcome, Outcome::failed);
  EXPECT_EQ(load({2, 3})->outcome, Outcome::passed);
  EXPECT_EQ(store({0, 1, 2, 3}), wide);
  EXPECT_EQ(load({0, 1})->outcome, Outcome::passed);
}

TEST_F(VerdictCacheFiles, AVerdictOfAnotherBootIsIgnored) {
  store({0, 1});
  place.boot_id = "boot-2";
  EXPECT_FALSE(load({0}));
}

TEST_F(VerdictCacheFiles, FilesAreReadableByOthers) {
  const auto path = store({0, 1});
  struct stat file, folder;
  ASSERT_EQ(::stat(path.c_str(), &file), 0);
  ASSERT_EQ(::stat(place.write_folder.c_str(), &folder), 0);
  EXPECT_EQ(file.st_mode & 07777, 0644u);
  EXPECT_EQ(folder.st_mode & 07777, 0755u);
  for (const auto& entry : fs::directory_iterator(place.write_folder))
    EXPECT_EQ(entry.path(), path) << "nothing temporary is left";
}

TEST_F(VerdictCacheFiles, MalformedAndUnreadableFilesAreIgnored) {
  const auto path = store({0, 1});
  std::ofstream(path, std::ios::app) << "more\n";
  EXPECT_FALSE(load({0}));
  std::ofstream(path, std::ios::trunc) << "";
  EXPECT_FALSE(load({0}));
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_FALSE(load({0}));
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0644), 0);
  EXPECT_FALSE(load({0})) << "and it does not block";
  fs::remove(path);
  store({0, 1});
  EXPECT_TRUE(load({0}));
}

TEST_F(VerdictCacheFiles, AHugeFileIsIgnored) {
  const auto path = store({0, 1});
  ASSERT_EQ(::truncate(path.c_str(), 1ll << 40), 0);
  EXPECT_FALSE(load({0}));
}

TEST_F(VerdictCacheFiles, SymlinksAreNotFollowed) {
  const auto path = store({0, 1});
  const auto elsewhere = top / "elsewhere";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  EXPECT_FALSE(load({0})) << "a file";
  store({0, 1});
  EXPECT_FALSE(fs::is_symlink(path)) << "storing replaces the link, and does not write through it";
  EXPECT_TRUE(load({0}));
  fs::rename(place.write_folder, top / "real");
  fs::create_directory_symlink(top / "real", place.write_folder);
  EXPECT_FALSE(load({0})) << "a folder";
  EXPECT_FALSE(store_verdict(verdict({0}), place).ok());
}

TEST_F(VerdictCacheFiles, FilesWritableByOthersAreIgnored) {
  const auto path = store({0, 1});
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_FALSE(load({0})) << "a file";
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(place.write_folder.c_str(), 0777), 0);
  EXPECT_FALSE(load({0})) << "a folder";
  EXPECT_FALSE(store_verdict(verdict({0}), place).ok());
}

TEST_F(VerdictCacheFiles, FilesOfAnotherOwnerAreIgnored) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const auto path = store({0, 1});
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(load({0})) << "a file";
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  EXPECT_TRUE(load({0}));
  ASSERT_EQ(::chown(place.write_folder.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(load({0})) << "a folder";
}

TEST_F(VerdictCacheFiles, StoringWithoutAFolderIsAnError) {
  place.write_folder = "";
  EXPECT_FALSE(store_verdict(verdict({0}), place).ok());
  place.write_folder = top / "missing" / "deep";
  EXPECT_FALSE(store_verdict(verdict({0}), place).ok());
  place.write_folder = top / "fathom";
  place.boot_id = "";
  EXPECT_FALSE(store_verdict(verdict({0}), place).ok());
}

TEST_F(VerdictCacheFiles, TheDriftWithTheSmallestBoundIsKept) {
  ASSERT_TRUE(store_drift({1, 0.9, 1000, 2e9}, place).ok());
  ASSERT_TRUE(store_drift({2, 0.5, 4000, 2e9}, place).ok());
  ASSERT_TRUE(store_drift({3, 0.7, 5000, 2e9}, place).ok());
  EXPECT_EQ(load_drift(place)->drift_ppm, 2) << "the longer run, moved to another CPU, knows less";
  store({0, 1});
  EXPECT_EQ(load_drift(place)->drift_ppm, 2) << "beside a verdict";
  ASSERT_TRUE(store_drift({150, 60, 100, 2e9}, place).ok());
  EXPECT_EQ(load_drift(place)->drift_ppm, 2) << "90 ppm are shown";
  ASSERT_TRUE(store_drift({500, 60, 100, 2e9}, place).ok());
  EXPECT_EQ(load_drift(place)->drift_ppm, 500) << "a short run that shows an unfit clock";
  ASSERT_TRUE(store_drift({3, 0.5, 50, 2e9}, place).ok());
  place.read_folders.push_back(top / "other");
  EXPECT_EQ(load_drift(place)->drift_ppm, 3) << "and one that shows it fit again";
  const VerdictCache other{{top / "other"}, top / "other", "boot-1"};
  ASSERT_TRUE(store_drift({4, 0.1, 40, 2e9}, other).ok());
  EXPECT_EQ(load_drift(place)->drift_ppm, 4) << "of two folders as well";
}

TEST(DefaultVerdictCache, IsOfThisBoot) {
  const auto cache = default_verdict_cache();
  EXPECT_EQ(cache.boot_id.size(), 36u);
  EXPECT_EQ(cache.read_folders.at(0), "/run/fathom");
  if (::geteuid() == 0) {
    EXPECT_EQ(cache.write_folder, "/run/fathom");
  }
}

}  // namespace
}  // namespace fathom::clock
