// The witnesses of the audit over trees made up: what they count, whom they name, and that a source which vanishes is said
// to be lost and keeps what it had counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

#include "host/block_witness.h"
#include "host/disk/smart_witness.h"
#include "host/foreign_io_witness.h"
#include "temp_tree.h"

namespace fathom::host {
namespace {

using ::testing::HasSubstr;

result::Count of(const result::WitnessReport& report, const std::string& subject, const std::string& name) {
  for (const auto& c : report.counts)
    if (c.subject == subject && c.name == name) return c;
  ADD_FAILURE() << "no count " << subject << " " << name;
  return {};
}

bool names(const result::WitnessReport& report, const std::string& subject) {
  for (const auto& c : report.counts)
    if (c.subject == subject) return true;
  return false;
}

std::string stat_line(int reads, int read_sectors, int writes, int write_sectors) {
  return std::to_string(reads) + " 0 " + std::to_string(read_sectors) + " 1 " + std::to_string(writes) + " 0 " +
         std::to_string(write_sectors) + " 1 0 1 1\n";
}

TEST(BlockWitness, CountsADiskAndWhatItIsBuiltOn) {
  testing::TempTree tree;
  tree.device("dm-0", "253:0");
  tree.device("sda", "8:0");
  tree.built_on("dm-0", "sda");
  tree.file("/proc/meminfo", "Dirty: 40 kB\nWriteback: 8 kB\n");
  for (const char* disk : {"dm-0", "sda"})
    tree.file(std::string("/sys/class/block/") + disk + "/stat", stat_line(1, 8, 2, 16));
  const auto witness = make_block_witness({"dm-0"}, tree.root());
  ASSERT_TRUE(witness->begin());
  tree.file("/sys/class/block/dm-0/stat", stat_line(11, 88, 2, 16));
  tree.file("/sys/class/block/sda/stat", stat_line(6, 108, 4, 36));
  const auto report = witness->end();
  EXPECT_EQ(of(report, "dm-0", "read_sectors").value, 80 * 512);
  EXPECT_EQ(of(report, "dm-0", "read_sectors").raw, 80);
  EXPECT_EQ(of(report, "dm-0", "read_ios").value, 10);
  EXPECT_EQ(of(report, "sda", "read_sectors").value, 100 * 512);
  EXPECT_EQ(of(report, "sda", "write_sectors").value, 20 * 512);
  EXPECT_EQ(of(report, "page cache", "dirty_begin").value, 48 * 1024);
}

// Documentation/block/stat.rst: columns 12 to 15 are discards, 16 and 17 flushes.
TEST(BlockWitness, CountsDiscardsAndFlushesAndTheirTime) {
  testing::TempTree tree;
  tree.device("sda", "8:0");
  tree.file("/sys/class/block/sda/stat", "1 0 8 5 2 0 16 7 0 1 1 3 0 80 9 4 6\n");
  const auto witness = make_block_witness({"sda"}, tree.root());
  ASSERT_TRUE(witness->begin());
  tree.file("/sys/class/block/sda/stat", "1 0 8 25 2 0 16 37 0 1 1 5 0 180 49 14 506\n");
  const auto report = witness->end();
  EXPECT_EQ(of(report, "sda", "discard_sectors").value, 100 * 512);
  EXPECT_EQ(of(report, "sda", "discard_ios").value, 2);
  EXPECT_DOUBLE_EQ(of(report, "sda", "discard_time").value, 0.040);
  EXPECT_EQ(of(report, "sda", "flush_ios").value, 10);
  EXPECT_DOUBLE_EQ(of(report, "sda", "flush_time").value, 0.5);
  EXPECT_DOUBLE_EQ(of(report, "sda", "read_time").value, 0.020);
  EXPECT_DOUBLE_EQ(of(report, "sda", "write_time").value, 0.030);
  EXPECT_EQ(of(report, "sda", "flush_time").unit, "s");
}

TEST(BlockWitness, TellsOfCountersThatAreSwitchedOff) {
  testing::TempTree tree;
  tree.device("loop7", "7:7");
  tree.file("/sys/class/block/loop7/stat", stat_line(1, 8, 2, 16));
  tree.file("/sys/class/block/loop7/queue/iostats", "1\n");
  const auto off_ends = [&](const char* at_begin, const char* at_end) {
    tree.file("/sys/class/block/loop7/queue/iostats", at_begin);
    const auto witness = make_block_witness({"loop7"}, tree.root());
    EXPECT_TRUE(witness->begin());
    tree.file("/sys/class/block/loop7/queue/iostats", at_end);
    const auto report = witness->end();
    double ends = 0;
    for (const auto& count : report.counts) ends += count.name == "iostats_off" ? count.value : 0;
    return ends;
  };
  EXPECT_EQ(off_ends("1\n", "1\n"), 0);
  EXPECT_EQ(off_ends("0\n", "0\n"), 2);
  EXPECT_EQ(off_ends("1\n", "0\n"), 1);
}

TEST(BlockWitness, AZramCountsWhateverItsFlagSays) {
  testing::TempTree tree;
  tree.device("zram1", "253:1");
  tree.file("/sys/class/block/zram1/stat", stat_line(1, 8, 2, 16));
  tree.file("/sys/class/block/zram1/queue/iostats", "0\n");
  const auto witness = make_block_witness({"zram1"}, tree.root());
  ASSERT_TRUE(witness->begin());
  for (const auto& count : witness->end().counts) EXPECT_NE(count.name, "iostats_off");
}

TEST(BlockWitness, ReadsAZramsDiscardsFromIoStat) {
  testing::TempTree tree;
  tree.device("zram1", "253:1");
  tree.file("/sys/class/block/zram1/stat", stat_line(1, 8, 2, 16));
  tree.file("/sys/class/block/zram1/io_stat", "       0        0        0        3\n");
  const auto witness = make_block_witness({"zram1"}, tree.root());
  ASSERT_TRUE(witness->begin());
  tree.file("/sys/class/block/zram1/io_stat", "       0        0        0     4099\n");
  EXPECT_EQ(of(witness->end(), "zram1", "discard_sectors").value, 4096 * 4096);
}

TEST(BlockWitness, AVanishedDiskIsLostAndKeepsItsCounts) {
  testing::TempTree tree;
  tree.device("sda", "8:0");
  tree.file("/sys/class/block/sda/stat", stat_line(1, 8, 2, 16));
  const auto witness = make_block_witness({"sda"}, tree.root());
  ASSERT_TRUE(witness->begin());
  tree.file("/sys/class/block/sda/stat", stat_line(2, 18, 2, 16));
  witness->tick();
  std::filesystem::remove(tree.path("/sys/class/block/sda/stat"));
  witness->tick();
  const auto c = of(witness->end(), "sda", "read_sectors");
  EXPECT_EQ(c.value, 10 * 512);
  EXPECT_TRUE(c.lost_at_s.has_value());
  EXPECT_FALSE(make_block_witness({"sdb"}, tree.root())->begin());
}

TEST(BlockWitness, AnUnreadableDiskDoesNotAffectOthers) {
  testing::TempTree tree;
  tree.device("sda", "8:0");
  tree.device("sdb", "8:16");
  tree.file("/sys/class/block/sda/stat", stat_line(1, 8, 2, 16));
  const auto witness = make_block_witness({"sda", "sdb"}, tree.root());
  ASSERT_TRUE(witness->begin());
  const auto report = witness->end();
  EXPECT_TRUE(names(report, "sda"));
  EXPECT_FALSE(names(report, "sdb"));
}

TEST(BlockWitness, AnIdleWindowIsASourceOfItsOwn) {
  testing::TempTree tree;
  tree.device("sda", "8:0");
  tree.file("/sys/class/block/sda/stat", stat_line(1, 8, 2, 16));
  const auto witness = make_idle_block_witness({"sda"}, tree.root());
  ASSERT_TRUE(witness->begin());
  tree.file("/sys/class/block/sda/stat", stat_line(1, 8, 3, 26));
  const auto report = witness->end();
  EXPECT_EQ(of(report, "sda", "write_sectors").value, 10 * 512);
  EXPECT_EQ(of(report, "sda", "read_sectors").value, 0);
  for (const auto& count : report.counts) EXPECT_EQ(count.source, "idle_block");
}

// A /proc of a few processes; the run itself is 100.
struct Processes {
  testing::TempTree tree;
  void process(int pid, const std::string& name, int parent, long read, long write) const {
    const auto folder = "/proc/" + std::to_string(pid);
    tree.file(folder + "/io", "rchar: 1\nwchar: 1\nsyscr: 1\nsyscw: 1\nread_bytes: " + std::to_string(read) +
                                  "\nwrite_bytes: " + std::to_string(write) + "\ncancelled_write_bytes: 0\n");
    tree.file(folder + "/stat", std::to_string(pid) + " (" + name + ") S " + std::to_string(parent) + " 1 1\n");
  }
  void started(int pid, const std::string& name, int parent, std::uint64_t ticks) const {
    std::string fields = std::to_string(pid) + " (" + name + ") S " + std::to_string(parent);
    for (int i = 5; i < 22; ++i) fields += " 0";
    tree.file("/proc/" + std::to_string(pid) + "/stat", fields + " " + std::to_string(ticks) + "\n");
  }
  void open(int pid, const std::string& target, const std::string& flags = "0100002") const {
    const auto folder = "/proc/" + std::to_string(pid);
    tree.link(folder + "/fd/3", target);
    tree.file(folder + "/fdinfo/3", "pos:\t0\nflags:\t" + flags + "\n");
  }
  void gone(int pid) const { std::filesystem::remove_all(tree.path("/proc/" + std::to_string(pid))); }
  std::unique_ptr<result::Witness> witness() const {
    ForeignIoOptions options;
    options.prefix = tree.root();
    options.own = 100;
    options.cpu_share = 1e9;  // every tick looks
    options.most_s = 10;      // and however slowly, to the end
    return make_foreign_io_witness(options);
  }
};

TEST(ForeignIoWitness, NamesProcessesThatMovedBytesExceptTheRun) {
  Processes p;
  p.process(1, "init", 0, 5000, 0);
  p.process(7, "a (b) c", 1, 1000, 0);
  p.process(100, "fathom", 1, 0, 0);
  const auto witness = p.witness();
  ASSERT_TRUE(witness->begin());
  p.process(7, "a (b) c", 1, 9192, 4096);
  p.process(100, "fathom", 1, 99999, 99999);
  p.process(101, "fathom", 100, 77777, 0);  // a worker
  p.process(8, "dd", 1, 65536, 0);
  const auto report = witness->end();
  EXPECT_EQ(of(report, "8 dd", "read_bytes").value, 65536);
  EXPECT_EQ(of(report, "7 a (b) c", "read_bytes").value, 8192);
  EXPECT_EQ(of(report, "7 a (b) c", "write_bytes").value, 4096);
  EXPECT_EQ(of(report, "all", "read_bytes").value, 65536 + 8192);
  EXPECT_EQ(of(report, "unreadable", "processes").value, 0);
  EXPECT_FALSE(names(report, "1 init"));
  EXPECT_FALSE(names(report, "101 fathom"));
}

// Of what /proc does not show at all, nobody can say that it did nothing.
TEST(ForeignIoWitness, ReportsHidepidAndPidNamespaces) {
  const auto hidden = [](const std::string& space, const std::string& options, bool init) {
    Processes p;
    p.process(7, "a", 1, 0, 0);
    if (init) p.process(1, "init", 0, 0, 0);
    std::filesystem::create_directories(p.tree.path("/proc/self/ns"));
    std::filesystem::create_symlink(space, p.tree.path("/proc/self/ns/pid"));
    p.tree.file("/proc/self/mountinfo", "22 26 0:21 / /proc rw,relatime - proc proc rw" + options + "\n");
    const auto witness = p.witness();
    EXPECT_TRUE(witness->begin());
    std::string by;
    for (const auto& count : witness->end().counts)
      if (count.subject == "hidden") by = count.name;
    return by;
  };
  EXPECT_EQ(hidden("pid:[4026531836]", "", true), "");
  EXPECT_EQ(hidden("pid:[4026532222]", "", true), "pid_namespace");
  EXPECT_EQ(hidden("pid:[4026531836]", ",hidepid=invisible", false), "hidepid");
  EXPECT_EQ(hidden("pid:[4026531836]", ",hidepid=invisible", true), "") << "it may look at all of them";
}

TEST(ForeignIoWitness, CountsOnlyLivingProcessesAsUnreadable) {
  Processes p;
  p.process(7, "a", 1, 0, 0);
  p.process(8, "ends", 1, 0, 0);
  p.process(9, "secret", 1, 0, 0);
  std::filesystem::remove(p.tree.path("/proc/9/io"));
  std::filesystem::remove_all(p.tree.path("/proc/8/io"));
  std::filesystem::remove_all(p.tree.path("/proc/8/stat"));
  const auto witness = p.witness();
  ASSERT_TRUE(witness->begin());
  const auto report = witness->end();
  EXPECT_EQ(of(report, "unreadable", "processes").value, 1);
  EXPECT_EQ(of(report, "looked at", "processes").value, 1);
}

// Not looked at in the first moments: what it had done until then is not of the run, what it does afterwards is.
TEST(ForeignIoWitness, ReadsProcessesInATickThatTheBeginLeftOut) {
  Processes p;
  p.process(7, "old", 1, 1'000'000, 0);
  ForeignIoOptions options;
  options.prefix = p.tree.root();
  options.own = 100;
  options.cpu_share = 1e9;
  options.most_s = 0;
  const auto witness = make_foreign_io_witness(options);
  ASSERT_TRUE(witness->begin());
  witness->tick();
  p.process(7, "old", 1, 1'000'500, 0);
  witness->tick();
  const auto report = witness->end();
  EXPECT_EQ(of(report, "all", "read_bytes").value, 500);
}

// The kernel adds what a child did to the parent that waits for it: all that it did in its life.
TEST(ForeignIoWitness, AChildsEarlierBytesAreNotItsParentsInTheRun) {
  Processes p;
  p.process(7, "sh", 1, 100, 0);
  p.process(8, "old", 7, 1'000'000, 0);
  const auto witness = p.witness();
  ASSERT_TRUE(witness->begin());
  p.gone(8);
  p.process(7, "sh", 1, 100 + 1'000'000 + 300, 0);
  const auto report = witness->end();
  EXPECT_EQ(of(report, "7 sh", "read_bytes").value, 300);
  EXPECT_EQ(of(report, "all", "read_bytes").value, 300);
}

// A shell in between ended too: what its child had done is with the one that is left, once.
TEST(ForeignIoWitness, BytesOfAnEndedChainAreCountedOnce) {
  Processes p;
  p.process(7, "sh", 1, 0, 0);
  const auto witness = p.witness();
  ASSERT_TRUE(witness->begin());
  p.process(8, "sub", 7, 0, 0);
  p.process(9, "dd", 8, 4096, 0);
  witness->tick();
  p.gone(8);
  p.gone(9);
  p.process(7, "sh", 1, 8192, 0);
  const auto report = witness->end();
  EXPECT_EQ(of(report, "9 dd", "read_bytes").value, 4096);
  EXPECT_EQ(of(report, "all", "read_bytes").value, 8192);
}

// A file of ours stands for the disk that it lies on.
TEST(ForeignIoWitness, NamesTheRunsDisksThatAProcessHasOpen) {
  Processes p;
  p.tree.file("/data", "x");
  struct stat st {};
  ASSERT_EQ(::stat(p.tree.path("/data").c_str(), &st), 0);
  p.tree.device("ft_a", std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev)));
  for (const int pid : {7, 8}) {
    p.process(pid, "dd", 1, 0, 0);
    p.open(pid, p.tree.path("/data"));
  }
  p.process(9, "elsewhere", 1, 0, 0);
  p.process(10, "path", 1, 0, 0);
  p.open(9, "/dev/null");
  p.open(10, p.tree.path("/data"), "012000000");  // O_PATH: no use of it
  ForeignIoOptions options;
  options.most_s = 10;  // however slowly
  options.prefix = p.tree.root();
  options.own = 100;
  options.cpu_share = 1e9;
  options.disks = {"ft_a"};
  const auto witness = make_foreign_io_witness(options);
  ASSERT_TRUE(witness->begin());
  p.process(7, "dd", 1, 1 << 20, 0);
  p.process(9, "elsewhere", 1, 1 << 20, 0);
  p.process(10, "path", 1, 1 << 20, 0);
  witness->tick();
  std::vector<std::string> open, looked;
  for (const auto& count : witness->end().counts) {
    if (count.source == "open") open.push_back(count.subject + " " + count.name + count.direction);
    if (count.source == "descriptors") looked.push_back(count.subject);
  }
  EXPECT_THAT(looked, ::testing::UnorderedElementsAre("7 dd", "9 elsewhere", "10 path"));
  EXPECT_THAT(open, ::testing::ElementsAre("7 dd ft_a")) << "the other moved nothing; a file is not the disk itself";
}

TEST(ForeignIoWitness, SearchesAllDescriptorsWhenADiskDiscards) {
  Processes p;
  p.tree.file("/data", "x");
  struct stat st {};
  ASSERT_EQ(::stat(p.tree.path("/data").c_str(), &st), 0);
  p.tree.device("ft_a", std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev)));
  p.tree.file("/sys/class/block/ft_a/stat", "1 0 8 5 2 0 16 7 0 1 1 3 0 80 9 4 6\n");
  p.process(7, "blkdiscard", 1, 0, 0);
  p.open(7, p.tree.path("/data"));
  ForeignIoOptions options;
  options.most_s = 10;  // however slowly
  options.prefix = p.tree.root();
  options.own = 100;
  options.cpu_share = options.search_share = 1e9;
  options.disks = {"ft_a"};
  for (const bool discards : {false, true}) {
    const auto witness = make_foreign_io_witness(options);
    ASSERT_TRUE(witness->begin());
    if (discards) p.tree.file("/sys/class/block/ft_a/stat", "1 0 8 5 2 0 16 7 0 1 1 4 0 88 9 4 6\n");
    witness->tick();
    const auto report = witness->end();
    EXPECT_EQ(names(report, "7 blkdiscard"), discards);
  }
}

// A search that has no time for all goes on where it stopped, even if nothing more is discarded.
TEST(ForeignIoWitness, TheSearchForADiscardingProcessReachesTheOldest) {
  Processes p;
  p.tree.file("/data", "x");
  struct stat st {};
  ASSERT_EQ(::stat(p.tree.path("/data").c_str(), &st), 0);
  p.tree.device("ft_a", std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev)));
  p.tree.file("/sys/class/block/ft_a/stat", "1 0 8 5 2 0 16 7 0 1 1 3 0 80 9 4 6\n");
  constexpr int kOldest = 10, kProcesses = 50;
  for (int pid = kOldest; pid < kOldest + kProcesses; ++pid) p.process(pid, "x", 1, 0, 0);
  p.open(kOldest, p.tree.path("/data"));
  ForeignIoOptions options;
  options.most_s = 10;  // however slowly
  options.prefix = p.tree.root();
  options.own = 100;
  options.search_share = 1e9;
  options.search_most_s = 0;  // one process at a time
  options.disks = {"ft_a"};
  const auto witness = make_foreign_io_witness(options);
  ASSERT_TRUE(witness->begin());
  p.tree.file("/sys/class/block/ft_a/stat", "1 0 8 5 2 0 16 7 0 1 1 4 0 88 9 4 6\n");
  for (int i = 0; i < kProcesses; ++i) witness->tick();
  EXPECT_TRUE(names(witness->end(), "10 x"));
}

// The number of one that ended belongs to another: the first keeps what it did, the second did not do what it had done.
TEST(ForeignIoWitness, ARecycledPidIsAnotherProcess) {
  Processes p;
  p.process(1, "init", 0, 0, 0);
  p.started(1, "init", 0, 1);
  p.process(7, "old", 1, 1000, 0);
  p.started(7, "old", 1, 50);
  const auto witness = p.witness();
  ASSERT_TRUE(witness->begin());
  p.process(7, "old", 1, 1000 + 4096, 0);
  p.started(7, "old", 1, 50);
  witness->tick();
  p.process(1, "init", 0, 1000 + 4096, 0);  // that waited for it
  p.started(1, "init", 0, 1);
  p.process(7, "new", 1, 65536, 0);
  p.started(7, "new", 1, 60);
  const auto report = witness->end();
  EXPECT_EQ(of(report, "7 old", "read_bytes").value, 4096);
  EXPECT_EQ(of(report, "7 new", "read_bytes").value, 65536);
  EXPECT_EQ(of(report, "all", "read_bytes").value, 4096 + 65536);
}

TEST(ForeignIoWitness, AKernelThreadIsBracketedAndSummedSeparately) {
  Processes p;
  p.process(7, "dd", 1, 0, 0);
  p.process(9, "kworker/u8:1", 2, 0, 0);
  const auto witness = p.witness();
  ASSERT_TRUE(witness->begin());
  p.process(7, "dd", 1, 1000, 0);
  p.process(9, "kworker/u8:1", 2, 4096, 0);
  p.tree.file("/proc/9/stat", "9 (kworker/u8:1) S 2 0 0 0 -1 69238880 0\n");  // PF_KTHREAD
  witness->tick();
  const auto report = witness->end();
  EXPECT_EQ(of(report, "9 [kworker/u8:1]", "read_bytes").value, 4096);
  EXPECT_EQ(of(report, "kernel threads", "read_bytes").value, 4096);
  EXPECT_EQ(of(report, "all", "read_bytes").value, 5096);
}

// Among very many processes the whole is looked at seldom.
TEST(ForeignIoWitness, NewProcessesAreReadBetweenFullScans) {
  Processes p;
  p.process(7, "sh", 1, 0, 0);
  ForeignIoOptions options;
  options.most_s = 10;  // however slowly
  options.prefix = p.tree.root();
  options.own = 100;
  options.cpu_share = 1e-6;  // after the first the next full look is far away
  options.quick_share = 1e9;
  const auto witness = make_foreign_io_witness(options);
  ASSERT_TRUE(witness->begin());
  witness->tick();
  p.process(8, "dd", 7, 5 << 20, 0);
  witness->tick();
  p.gone(8);
  EXPECT_EQ(of(witness->end(), "8 dd", "read_bytes").value, 5 << 20);
}

TEST(ForeignIoWitness, RefusesMoreProcessesThanItsLimit) {
  Processes p;
  for (int pid = 1; pid <= 20; ++pid) p.process(pid, "x", 0, 0, 0);
  ForeignIoOptions options;
  options.most_s = 10;  // however slowly
  options.prefix = p.tree.root();
  options.most_processes = 19;
  const auto ok = make_foreign_io_witness(options)->begin();
  ASSERT_FALSE(ok);
  EXPECT_THAT(ok.error().what, HasSubstr("20 processes are too many"));
}

disk::HealthLog log_of(std::uint64_t read_units, std::uint64_t reads) {
  disk::HealthLog log{};
  for (std::size_t i = 0; i < 8; ++i) {
    log[32 + i] = static_cast<std::byte>(read_units >> 8 * i & 0xff);
    log[64 + i] = static_cast<std::byte>(reads >> 8 * i & 0xff);
  }
  return log;
}

TEST(SmartWitness, CountsDataUnitsAndCommands) {
  std::vector<disk::HealthLog> logs{log_of(0x0102030405, 10), log_of(0x0102030405 + 7, 1290)};
  std::size_t at = 0;
  const auto witness =
      disk::make_smart_witness("smart", "nvme0", [&]() -> base::Expected<disk::HealthLog> { return logs[at++]; });
  ASSERT_TRUE(witness->begin());
  const auto report = witness->end();
  EXPECT_EQ(of(report, "nvme0", "data_units_read").value, 7 * 512'000.0);
  EXPECT_EQ(of(report, "nvme0", "data_units_read").raw, 7);
  EXPECT_EQ(of(report, "nvme0", "data_units_written").value, 0);
  EXPECT_EQ(of(report, "nvme0", "host_reads").value, 1280);
}

TEST(SmartWitness, ADeviceThatStopsAnsweringIsLost) {
  bool gone = false;
  const auto witness = disk::make_smart_witness("driver", "soft:", [&]() -> base::Expected<disk::HealthLog> {
    if (gone) return base::Error{base::ErrorKind::io, "gone", {}, {}, {}, 0};
    return log_of(1, 1);
  });
  ASSERT_TRUE(witness->begin());
  gone = true;
  EXPECT_TRUE(of(witness->end(), "soft:", "data_units_read").lost_at_s.has_value());
}

TEST(SmartWitness, FindsTheControllerOfADisk) {
  testing::TempTree tree;
  tree.file("/sys/devices/pci/nvme/nvme3/model", "x");
  tree.link("/sys/class/block/nvme3n1/device", "../../../devices/pci/nvme/nvme3");
  EXPECT_EQ(disk::nvme_controller_of("nvme3n1", tree.root()), "nvme3");
  EXPECT_EQ(disk::nvme_controller_of("sda", tree.root()), "");
}

}  // namespace
}  // namespace fathom::host
