// Text of /proc as captured, to mappings and facts of a process.
#include "paging/learn/observe/proc_maps.h"

#include <gtest/gtest.h>

namespace fathom::paging::learn::observe {
namespace {

constexpr char kSmaps[] =
    "55d0c0a00000-55d0c0a21000 rw-p 00000000 00:00 0                          [heap]\n"
    "Size:                132 kB\n"
    "KernelPageSize:        4 kB\n"
    "Rss:                  96 kB\n"
    "Referenced:           40 kB\n"
    "AnonHugePages:      2048 kB\n"
    "Swap:                  8 kB\n"
    "VmFlags: rd wr mr mw me ac sd\n"
    "7f0000000000-7f0000003000 r-xp 00001000 fe:00 1234                       /usr/lib/libc.so.6\n"
    "Rss:                  12 kB\n"
    "7ffd10000000-7ffd10004000 r--p 00000000 00:00 0                          [vvar]\n"
    "7f1000000000-7f1000400000 rw-s 00000000 00:01 77                         /dev/shm/a b (deleted)\n"
    "Rss:                   4 kB\n";

TEST(ProcMaps, ParsesSmapsWithResidentReferencedAndSwappedBytes) {
  const auto found = parse_mappings(kSmaps);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].name, "[heap]");
  EXPECT_EQ(found[0].bytes(), 0x21000u);
  EXPECT_EQ(found[0].resident, 96u << 10);
  EXPECT_EQ(found[0].referenced, 40u << 10);
  EXPECT_EQ(found[0].anonymous_huge, 2048u << 10);
  EXPECT_EQ(found[0].swapped, 8u << 10);
  EXPECT_TRUE(found[0].writable && !found[0].executable && !found[0].shared);
  EXPECT_EQ(found[1].resident, 12u << 10);
  EXPECT_TRUE(found[3].shared);
}

TEST(ProcMaps, WatchesDataAndNotCodeOrKernelMappings) {
  const auto found = parse_mappings(kSmaps);
  EXPECT_TRUE(is_watched(found[0]));
  EXPECT_FALSE(is_watched(found[1])) << "code";
  EXPECT_FALSE(is_watched(found[2])) << "the kernel's own";
  EXPECT_TRUE(is_watched(found[3]));
}

TEST(ProcMaps, ReadOnlyMappingsOfAnExecutableImageAreNotWatched) {
  const auto found =
      watched(parse_mappings("1000-2000 r--p 0 fe:00 5 /usr/lib/libc.so.6\n"
                             "2000-3000 r-xp 0 fe:00 5 /usr/lib/libc.so.6\n"
                             "3000-4000 rw-p 0 fe:00 5 /usr/lib/libc.so.6\n"
                             "4000-5000 r--p 0 fe:00 6 /var/lib/data\n"
                             "5000-6000 r--p 0 00:00 0\n"
                             "6000-7000 r-xp 0 00:00 0\n"));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].writable);
  EXPECT_EQ(found[1].name, "/var/lib/data");
  EXPECT_EQ(found[2].begin, 0x5000u);
}

TEST(ProcMaps, SkipsMalformedLines) {
  EXPECT_TRUE(parse_mappings("").empty());
  EXPECT_TRUE(parse_mappings("Rss: 4 kB\nnonsense\n1-2-3 rw-p\nzz-yy rw-p 0 0 0\n").empty());
}

TEST(ProcMaps, ParseStatTellsKernelThreadsAndNamesWithParentheses) {
  const ProcessFacts thread = parse_stat("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0");
  EXPECT_TRUE(thread.there && thread.kernel_thread);
  const ProcessFacts odd = parse_stat("77 (a) Z (b) R 1 77 77 0 -1 4194304 90 0");
  EXPECT_TRUE(odd.there);
  EXPECT_FALSE(odd.kernel_thread);
  EXPECT_EQ(odd.state, 'R');
  EXPECT_FALSE(parse_stat("").there);
  EXPECT_FALSE(parse_stat("1 (init) S 0").there);
}

TEST(ProcMaps, ParseStatReadsParentAndResidentPages) {
  const ProcessFacts facts = parse_stat(
      "77 (my (odd) one) S 4 77 77 0 -1 4194304 90 0 0 0 1 2 0 0 20 0 1 0 5000 8192000 1234 18446744073709551615");
  EXPECT_EQ(facts.parent, 4);
  EXPECT_EQ(facts.resident_pages, 1234u);
  EXPECT_EQ(facts.name, "my (odd) one");
  EXPECT_FALSE(facts.kernel_thread);
}

TEST(ProcMaps, OneLineJoinsArgumentsWithBlanks) {
  EXPECT_EQ(one_line(std::string_view("sh\0-c\0a\nb\0", 10)), "sh -c a b");
  EXPECT_EQ(one_line(""), "");
}

}  // namespace
}  // namespace fathom::paging::learn::observe
