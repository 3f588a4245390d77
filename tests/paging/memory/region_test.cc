// Each kind of memory on this kernel: that it is what it says (its line in /proc/self/smaps), that it costs nothing
// until it is touched, that files of the user's come to no harm, and that nothing is left behind.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/sanitized.h"
#include "base/text/parse.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"
#include "paging/memory/region.h"

namespace fathom::paging::memory {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t MiB = 1 << 20;
const auto kNever = [] { return false; };

RegionPlan small(Memory memory = Memory::anonymous) {
  RegionPlan plan;
  plan.memory = memory;
  plan.map_bytes = 8 * MiB;
  plan.set_bytes = 4 * MiB;
  return plan;
}

struct Folder {
  Folder() {
    char name[] = "/var/tmp/fathom-region-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return path + "/" + name; }
  bool empty() const { return fs::is_empty(path); }
  std::string path;
};

Region mapped(const RegionPlan& plan) {
  std::vector<result::Finding> findings;
  auto region = Region::map(plan, findings);
  EXPECT_TRUE(region.ok()) << (region.ok() ? "" : region.error().what + ": " + region.error().cause);
  EXPECT_TRUE(findings.empty()) << findings.front().evidence;
  return std::move(region).value();
}

base::Error refused(const RegionPlan& plan) {
  std::vector<result::Finding> findings;
  auto region = Region::map(plan, findings);
  EXPECT_FALSE(region.ok());
  return region.ok() ? base::Error{} : region.error();
}

// The value of a field of the mapping's record in smaps: "VmFlags", "Rss", ...
std::string smaps(const std::byte* data, const std::string& field) {
  const std::string text = host::proc::read_text("/proc/self/smaps");
  char begin[32];
  std::snprintf(begin, sizeof begin, "%lx-", reinterpret_cast<unsigned long>(data));
  const auto at = text.find(std::string("\n") + begin);
  if (at == std::string::npos) return "no such mapping";
  const auto found = text.find("\n" + field + ":", at);
  const auto value = found + field.size() + 2;
  return std::string(base::text::trim(text.substr(value, text.find('\n', value) - value)));
}

std::uint64_t rss_kib(const Region& region) { return std::stoull(smaps(region.data(), "Rss")); }

double cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(Region, a_tebibyte_is_mapped_in_milliseconds_without_resident_memory) {
  RegionPlan plan = small();
  plan.map_bytes = 1ull << 40;
  double best_s = 1;  // of CPU time: what others do meanwhile is not in it
  for (int i = 0; i < 5; ++i) {
    const double begin_s = cpu_s();
    const Region once = mapped(plan);
    best_s = std::min(best_s, cpu_s() - begin_s);
  }
  EXPECT_LT(best_s, 0.02);
  Region region = mapped(plan);
  EXPECT_EQ(region.map_bytes(), 1ull << 40);
  EXPECT_EQ(rss_kib(region), 0u);
  region.data()[(1ull << 40) - 1] = std::byte{1};
  EXPECT_LE(rss_kib(region), 2048u);
}

TEST(Region, is_aligned_to_2_mib_between_two_guard_mappings) {
  Region region = mapped(small());
  const auto address = reinterpret_cast<std::uintptr_t>(region.data());
  EXPECT_EQ(address % (2 * MiB), 0u);
  const std::string maps = host::proc::read_text("/proc/self/maps");
  char before[32], after[32];
  std::snprintf(before, sizeof before, "-%lx ---p", address);
  std::snprintf(after, sizeof after, "\n%lx-", address + region.map_bytes());
  EXPECT_NE(maps.find(before), std::string::npos) << before;
  ASSERT_NE(maps.find(after), std::string::npos) << after;
  const auto line = maps.substr(maps.find(after) + 1);
  EXPECT_NE(line.substr(0, line.find('\n')).find(" ---p "), std::string::npos) << line.substr(0, 80);
}

TEST(Region, fill_touches_only_the_set) {
  for (const Memory memory : {Memory::anonymous, Memory::memfd}) {
    RegionPlan plan = small(memory);
    plan.fill = Fill::random;
    plan.thp = Thp::never;
    Region region = mapped(plan);
    std::atomic<std::uint64_t> filled{0};
    ASSERT_TRUE(region.fill(plan, kNever, &filled).empty());
    EXPECT_EQ(rss_kib(region), 4096u);
    EXPECT_EQ(filled.load(), 4 * MiB);
    std::byte page[4096];
    fill_page(page, 4096, Fill::random, 0, 1023, plan.seed);
    EXPECT_EQ(std::memcmp(region.data() + 4 * MiB - 4096, page, 4096), 0);
  }
}

// As pmbench -i: what lies beyond the set is filled as well, and takes memory.
TEST(Region, fill_map_touches_the_whole_map) {
  RegionPlan plan = small();
  plan.fill = Fill::random;
  plan.fill_map = true;
  plan.thp = Thp::never;
  Region region = mapped(plan);
  std::atomic<std::uint64_t> filled{0};
  ASSERT_TRUE(region.fill(plan, kNever, &filled).empty());
  EXPECT_EQ(filled.load(), 8 * MiB);
  EXPECT_EQ(plan.touched_bytes(), 8 * MiB);
  std::byte page[4096];
  fill_page(page, 4096, Fill::random, 0, 2047, plan.seed);
  EXPECT_EQ(std::memcmp(region.data() + 8 * MiB - 4096, page, 4096), 0);
}

TEST(Region, fill_none_touches_nothing) {
  Region region = mapped(small());
  ASSERT_TRUE(region.fill(small(), kNever).empty());
  EXPECT_EQ(rss_kib(region), 0u);
}

TEST(Region, fill_stops_when_its_stop_function_says_so) {
  RegionPlan plan = small();
  plan.fill = Fill::zero;
  plan.thp = Thp::never;
  Region region = mapped(plan);
  int asked = 0;
  ASSERT_TRUE(region.fill(plan, [&] { return ++asked > 2; }).empty());
  EXPECT_EQ(rss_kib(region), 512u);
}

TEST(Region, Timed_fill_is_fast) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitized build is not";
  RegionPlan plan = small();
  plan.map_bytes = plan.set_bytes = 64 * MiB;
  plan.fill = Fill::random;
  Region region = mapped(plan);
  ASSERT_TRUE(region.fill(plan, kNever).empty());  // the pages themselves are the kernel's part, not ours
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const double begin = cpu_s();
    ASSERT_TRUE(region.fill(plan, kNever).empty());
    best = std::max(best, static_cast<double>(plan.set_bytes) / (cpu_s() - begin));
  }
  RecordProperty("bytes_per_s", std::to_string(best));
  EXPECT_GT(best, 1e9);  // about 6e9 on an idle core
}

TEST(Region, thp_always_and_never_are_set_by_madvise) {
  RegionPlan plan = small();
  plan.fill = Fill::zero;
  plan.thp = Thp::never;
  EXPECT_NE(smaps(mapped(plan).data(), "VmFlags").find("nh"), std::string::npos);
  if (host::proc::chosen(host::proc::read_line("/sys/kernel/mm/transparent_hugepage/enabled")) == "never")
    GTEST_SKIP() << "huge pages are switched off on this machine";
  plan.thp = Thp::always;
  Region region = mapped(plan);
  EXPECT_NE(smaps(region.data(), "VmFlags").find("hg"), std::string::npos);
  ASSERT_TRUE(region.fill(plan, kNever).empty());
  EXPECT_GT(std::stoull(smaps(region.data(), "AnonHugePages")), 0u);
}

TEST(Region, madvise_flags_show_in_smaps) {
  RegionPlan plan = small();
  plan.advice = {"random", "dontdump"};
  const std::string flags = smaps(mapped(plan).data(), "VmFlags");
  EXPECT_NE(flags.find("rr"), std::string::npos) << flags;
  EXPECT_NE(flags.find("dd"), std::string::npos) << flags;
}

TEST(Region, dontneed_is_advised_after_the_fill) {
  RegionPlan plan = small();
  plan.fill = Fill::random;
  plan.advice = {"dontneed"};
  Region region = mapped(plan);
  ASSERT_TRUE(region.fill(plan, kNever).empty());
  EXPECT_EQ(rss_kib(region), 0u);
}

TEST(Region, an_unknown_advice_is_answered_with_the_nearest_name) {
  RegionPlan plan = small();
  plan.advice = {"randm"};
  const auto e = refused(plan);
  EXPECT_EQ(e.kind, base::ErrorKind::usage);
  EXPECT_TRUE(e.help.starts_with("did you mean `random`? There are: normal, ")) << e.help;
  plan.advice = {"bogus"};
  EXPECT_TRUE(refused(plan).help.starts_with("There are: normal, ")) << "near none of them";
}

TEST(Region, advice_that_the_kernel_refuses_is_a_finding) {
  RegionPlan plan = small(Memory::memfd);
  plan.advice = {"free"};  // of private anonymous memory only
  Region region = mapped(plan);
  const auto refused = region.fill(plan, kNever);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].id, "paging.advice_refused");
  EXPECT_NE(refused[0].evidence.find("free"), std::string::npos);
}

TEST(Region, a_set_of_zero_or_above_the_map_is_refused) {
  RegionPlan plan = small();
  plan.set_bytes = plan.map_bytes + 1;
  EXPECT_EQ(refused(plan).kind, base::ErrorKind::usage);
  plan.set_bytes = 0;
  EXPECT_EQ(refused(plan).kind, base::ErrorKind::usage);
}

TEST(Region, sizes_are_rounded_up_to_pages) {
  RegionPlan plan = small();
  plan.map_bytes = plan.set_bytes = 5000;
  plan.fill = Fill::random;
  Region region = mapped(plan);
  EXPECT_EQ(region.map_bytes(), 8192u);
  EXPECT_TRUE(region.fill(plan, kNever).empty());
}

TEST(Region, a_created_file_is_sparse_and_unlinked) {
  const Folder folder;
  for (const Memory memory : {Memory::file_private, Memory::file_shared}) {
    RegionPlan plan = small(memory);
    plan.map_bytes = 64ull << 30;
    plan.file = folder.file("new");
    plan.fill = Fill::random;
    const auto free_before = fs::space(folder.path).available;
    Region region = mapped(plan);
    EXPECT_TRUE(folder.empty());
    EXPECT_LT(free_before - std::min(free_before, fs::space(folder.path).available), 1ull << 30);
    ASSERT_TRUE(region.fill(plan, kNever).empty());
    EXPECT_EQ(smaps(region.data(), "VmFlags").find("sh") != std::string::npos, memory == Memory::file_shared);
  }
  EXPECT_TRUE(folder.empty());
}

TEST(Region, a_folder_as_file_holds_an_unnamed_file) {
  const Folder folder;
  RegionPlan plan = small(Memory::file_shared);
  plan.file = folder.path;
  mapped(plan);
  EXPECT_TRUE(folder.empty());
}

TEST(Region, a_private_map_does_not_change_the_users_file) {
  const Folder folder;
  RegionPlan plan = small(Memory::file_private);
  plan.file = folder.file("mine");
  plan.fill = Fill::random;
  const std::string content(4 * MiB, 'x');
  std::ofstream(plan.file) << content;
  {
    Region region = mapped(plan);
    EXPECT_EQ(region.data()[12345], std::byte{'x'});
    ASSERT_TRUE(region.fill(plan, kNever).empty());
    EXPECT_NE(std::memcmp(region.data(), content.data(), 4096), 0);
  }
  EXPECT_EQ(host::proc::read_text(plan.file), content);
}

TEST(Region, a_shared_map_of_the_users_file_needs_overwrite_file) {
  const Folder folder;
  RegionPlan plan = small(Memory::file_shared);
  plan.file = folder.file("mine");
  plan.fill = Fill::zero;
  std::ofstream(plan.file) << std::string(4 * MiB, 'x');
  const auto e = refused(plan);
  EXPECT_EQ(e.kind, base::ErrorKind::refused);
  EXPECT_NE(e.help.find("--overwrite-file"), std::string::npos);
  plan.overwrite_file = true;
  ASSERT_TRUE(mapped(plan).fill(plan, kNever).empty());
  EXPECT_EQ(host::proc::read_text(plan.file), std::string(4 * MiB, '\0'));
}

TEST(Region, a_file_shorter_than_the_set_is_refused_and_not_extended) {
  const Folder folder;
  RegionPlan plan = small(Memory::file_private);
  plan.file = folder.file("short");
  std::ofstream(plan.file) << "abc";
  const auto e = refused(plan);
  EXPECT_EQ(e.kind, base::ErrorKind::usage);
  EXPECT_NE(e.cause.find("3 bytes"), std::string::npos) << e.cause;
  EXPECT_EQ(fs::file_size(plan.file), 3u);
}

TEST(Region, a_device_an_empty_name_and_a_missing_folder_are_refused) {
  RegionPlan plan = small(Memory::file_private);
  plan.file = "/dev/null";
  EXPECT_EQ(refused(plan).kind, base::ErrorKind::usage);
  plan.file = "";
  EXPECT_EQ(refused(plan).kind, base::ErrorKind::usage);
  plan.file = "/no/such/folder/x";
  EXPECT_EQ(refused(plan).sys_errno, ENOENT);
}

TEST(Region, a_disk_too_small_for_the_set_is_refused_with_enospc) {
  const Folder folder;
  RegionPlan plan = small(Memory::file_shared);
  plan.file = folder.file("big");
  plan.map_bytes = plan.set_bytes = fs::space(folder.path).capacity + (1ull << 30);
  const auto e = refused(plan);
  EXPECT_EQ(e.sys_errno, ENOSPC) << e.what;
  EXPECT_NE(e.cause.find("bytes are free"), std::string::npos);
}

TEST(Region, too_few_huge_pages_are_refused_with_nr_hugepages_as_remedy) {
  if (host::proc::read_line("/proc/sys/vm/nr_hugepages").empty()) GTEST_SKIP() << "a kernel without huge pages";
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer leaves no room for so large a map";
  RegionPlan plan = small(Memory::hugetlb);
  plan.map_bytes = plan.set_bytes = 1ull << 42;
  const auto e = refused(plan);
  EXPECT_EQ(e.sys_errno, ENOMEM) << e.what;
  EXPECT_EQ(e.kind, base::ErrorKind::usage) << "not a failure of a device";
  EXPECT_NE(e.help.find("nr_hugepages"), std::string::npos) << e.help;
}

TEST(Region, hugetlb_needs_pages_for_the_set_and_not_for_the_map) {
  const std::string file = "/proc/sys/vm/nr_hugepages", before = host::proc::read_line(file);
  if (::geteuid() != 0 || before.empty()) GTEST_SKIP() << "needs root and huge pages";
  std::ofstream(file) << std::stoull(before) + 2;
  RegionPlan plan = small(Memory::hugetlb);
  plan.map_bytes = 1ull << 30;
  plan.fill = Fill::random;
  if (host::proc::read_line(file) != before) {
    Region region = mapped(plan);
    EXPECT_EQ(region.page_bytes(), 2 * MiB);
    EXPECT_TRUE(region.fill(plan, kNever).empty());
    EXPECT_NE(smaps(region.data(), "VmFlags").find("ht"), std::string::npos);
  }
  std::ofstream(file) << before;
}

TEST(Region, unmap_releases_all_addresses) {
  const auto pages = [] { return std::stoull(host::proc::read_line("/proc/self/statm")); };
  mapped(small());
  const auto before = pages();
  RegionPlan plan = small();
  plan.map_bytes = 1ull << 40;
  mapped(plan);
  EXPECT_LT(pages(), before + 1024);
}

TEST(Region, is_movable_and_unmaps_once) {
  Region a = mapped(small());
  std::byte* const data = a.data();
  Region b = std::move(a);
  EXPECT_EQ(b.data(), data);
  b = mapped(small());
  b.unmap();
  b.unmap();
  EXPECT_EQ(b.data(), nullptr);
}

}  // namespace
}  // namespace fathom::paging::memory
