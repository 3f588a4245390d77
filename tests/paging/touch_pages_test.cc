// Which of the tool's pages a hit touches: all pages of the record but two (three with both directions) are taken away,
// and whatever is touched nevertheless is written down by the handler.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "paging/touch_support.h"

namespace fathom::paging {
namespace {

constexpr std::size_t kRecordPages = sizeof(sources::ThreadRecord) / sources::kPage;
std::byte* g_begin;
std::uint32_t g_touched[kRecordPages];

void on_fault(int, siginfo_t* info, void*) {
  const auto at = static_cast<std::byte*>(info->si_addr) - g_begin;
  if (at < 0 || static_cast<std::size_t>(at) >= sizeof(sources::ThreadRecord)) ::_exit(99);
  const auto page = static_cast<std::size_t>(at) / sources::kPage;
  ++g_touched[page];
  ::mprotect(g_begin + page * sources::kPage, sources::kPage, PROT_READ | PROT_WRITE);
}

class ThreadRecordPages : public ::testing::Test {
 protected:
  void SetUp() override {
    g_begin = reinterpret_cast<std::byte*>(&run.record());
    std::fill(std::begin(g_touched), std::end(g_touched), 0);
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, &before_);
  }
  void TearDown() override { ::sigaction(SIGSEGV, &before_, nullptr); }
  static std::size_t first_page(std::size_t c, std::size_t dir) {
    return (offsetof(sources::ThreadRecord, histograms) + (c * 2 + dir) * sizeof(sources::PagedHistogram)) /
           sources::kPage;
  }
  // Pages touched by so many accesses to one page of memory.
  std::set<std::size_t> touched(std::uint64_t accesses, bool writes, bool both) {
    const FreshMap map(1);
    map.at[0] = std::byte{1};
    MadeSource source([=](std::uint64_t i) { return sources::Access::of(0, both ? i % 2 != 0 : writes); });
    run.plan.classify = true;
    run.in.max_accesses = accesses;
    run.ready(map.at, source);
    ::mprotect(g_begin, sizeof(sources::ThreadRecord), PROT_NONE);
    run.go();
    ::mprotect(g_begin, sizeof(sources::ThreadRecord), PROT_READ | PROT_WRITE);
    std::set<std::size_t> pages;
    for (std::size_t i = 0; i < kRecordPages; ++i)
      if (g_touched[i] > 0) pages.insert(i);
    return pages;
  }
  // The pages that the longer samples (the scheduler took the CPU away) are counted in.
  std::set<std::size_t> counted_in() {
    std::set<std::size_t> pages;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 2; ++d)
        for (std::size_t i = 0; i < sources::AccessCounts::kCounts; ++i)
          if (run.record().histograms[c][d].raw.counts[i] != 0) pages.insert(first_page(c, d) + i * 8 / sources::kPage);
    return pages;
  }

  LoopRun run;

 private:
  struct sigaction before_ {};
};

TEST_F(ThreadRecordPages, OneHitTouchesTwoPages) {
  const std::set<std::size_t> two{0, first_page(0, 0)};
  std::set<std::size_t> pages;
  for (int i = 0; i < 100; ++i) {
    std::fill(std::begin(g_touched), std::end(g_touched), 0);
    std::memset(static_cast<void*>(&run.record()), 0, sizeof(sources::ThreadRecord));
    pages = touched(1, false, false);
    if (counted_in() == std::set{first_page(0, 0)}) break;  // else it took longer than 8 us
  }
  EXPECT_EQ(pages, two);
}

TEST_F(ThreadRecordPages, HitsTouchTheHeadAndOnePagePerDirection) {
  const auto pages = touched(20000, false, true);
  auto want = counted_in();
  want.insert(0);
  EXPECT_EQ(pages, want);
  EXPECT_TRUE(pages.count(first_page(0, 0)) == 1 && pages.count(first_page(0, 1)) == 1);
}

TEST_F(ThreadRecordPages, RecordAndStackFitIn256KiB) {
  EXPECT_LE(sizeof(sources::ThreadRecord) + sources::kThreadStackBytes, 256u * 1024);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&run.record()) % sources::kPage, 0u);
}

}  // namespace
}  // namespace fathom::paging
