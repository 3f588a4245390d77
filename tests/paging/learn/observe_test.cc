// A child whose memory is known, looked at with what this kernel has: pages are found, marked and seen again,
// and what cannot be observed is refused.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/attempts.h"
#include "base/sanitized.h"
#include "base/system/subprocess.h"
#include "paging/learn/learn.h"
#include "paging/learn/methods.h"
#include "paging/learn/observe/observer.h"
#include "paging/learn/observe/page_sample.h"

namespace fathom::paging::learn {
namespace {

constexpr std::size_t kMappedPages = 3000, kTouched = 500;

// Has kMappedPages pages and touches the first kTouched of them again and again.
class Child {
 public:
  Child() {
    memory_ = static_cast<char*>(
        mmap(nullptr, kMappedPages * observe::kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(memory_, kMappedPages * observe::kPageBytes, MADV_NOHUGEPAGE);
    pid_ = fork();
    if (pid_ != 0) return;
    for (std::size_t p = 0; p < kMappedPages; ++p) memory_[p * observe::kPageBytes] = 1;
    for (volatile char* m = memory_;; usleep(1000))
      for (std::size_t p = 0; p < kTouched; ++p) m[p * observe::kPageBytes] = 2;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    munmap(memory_, kMappedPages * observe::kPageBytes);
  }
  pid_t pid() const { return pid_; }
  std::uint64_t begin() const { return reinterpret_cast<std::uintptr_t>(memory_); }

 private:
  char* memory_ = nullptr;
  pid_t pid_ = 0;
};

// Until the child has touched all of its pages.
void wait_for(observe::Target& target, observe::PageSample& sample) {
  for (int i = 0; i < 6000 && sample.resident_pages() < kMappedPages; ++i, usleep(10000))
    ASSERT_TRUE(sample.refresh(target));
}

TEST_IN_ATTEMPTS(Observe, PageSampleFindsPagesAndKeepsTheirNumbers) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitized build is not observed";
  const Child child;
  auto target = observe::Target::open(child.pid());
  ASSERT_TRUE(target.ok());
  observe::PageSample sample(1 << 20, 1);
  wait_for(*target, sample);
  std::size_t ours = 0;
  for (std::size_t n = 0; n < sample.size(); ++n)
    ours +=
        sample.address(n) >= child.begin() && sample.address(n) < child.begin() + kMappedPages * observe::kPageBytes;
  EXPECT_EQ(ours, kMappedPages);
  const std::uint64_t first = sample.address(0);
  const std::size_t size = sample.size();
  ASSERT_TRUE(sample.refresh(*target));
  EXPECT_EQ(sample.address(0), first);
  EXPECT_LE(sample.size(), size + 20);
  std::vector<std::uint64_t> words;
  sample.read(*target, words);
  ASSERT_EQ(words.size(), sample.size());
  EXPECT_GE(std::count_if(words.begin(), words.end(), [](auto w) { return (w & observe::kPresent) != 0; }),
            static_cast<std::ptrdiff_t>(kMappedPages));
}

TEST(Observe, PageSampleAboveItsLimitIsARandomSubset) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitized build is not observed";
  const Child child;
  auto target = observe::Target::open(child.pid());
  ASSERT_TRUE(target.ok());
  observe::PageSample all(1 << 20, 1), part(500, 1);
  wait_for(*target, all);
  ASSERT_TRUE(part.refresh(*target));
  EXPECT_NEAR(static_cast<double>(part.size()), 500, 120);
  EXPECT_NEAR(part.share(), 500.0 / static_cast<double>(part.resident_pages()), 1e-9);
}

TEST_IN_ATTEMPTS(Observe, PagesTouchedAgainAreCounted) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitized build is not observed";
  const Child child;
  auto target = observe::Target::open(child.pid());
  ASSERT_TRUE(target.ok());
  observe::PageSample sample(1 << 20, 1);
  wait_for(*target, sample);
  usleep(100000);  // the child is now in its second loop
  ASSERT_TRUE(target->clear(observe::Marks::referenced) && target->clear(observe::Marks::soft_dirty));
  usleep(200000);
  const std::uint64_t pages = target->referenced_bytes() / observe::kPageBytes;
  EXPECT_GE(pages, kTouched);
  EXPECT_LT(pages, kTouched + 200);
}

TEST(Observe, IdlePageBitsAreSetAndReadBack) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitized build is not observed";
  const Child child;
  auto target = observe::Target::open(child.pid());
  ASSERT_TRUE(target.ok());
  if (!observe::frames_are_shown()) GTEST_SKIP() << "page frames are hidden: not root";
  observe::PageSample sample(1 << 20, 1);
  wait_for(*target, sample);
  // A plain file in the bitmap's place: what is marked stays idle, as nobody clears it.
  const std::string bitmap = testing::TempDir() + "idle." + std::to_string(getpid());
  std::ofstream(bitmap).close();
  const observe::Scene scene{*target, [] { return false; }, [] { return 0.0; }, false};
  double now = 0;
  observe::Scene timed = scene;
  timed.now_s = [&now] { return now += 0.01; };
  auto observer = observe::observe_idle(timed, bitmap);
  ASSERT_TRUE(observer->begin(sample).ok());
  const observe::Window still = observer->window(sample, 0.01, 2);
  EXPECT_TRUE(still.complete);
  EXPECT_EQ(still.touched.intervals, 2u);
  EXPECT_EQ(std::count(still.touched.pages.begin(), still.touched.pages.end(), 0),
            static_cast<std::ptrdiff_t>(still.touched.pages.size()));
  // And a touch is a bit that was taken away while the interval lasted.
  int looks = 0;
  timed.over = [&] {
    if (++looks == 1) std::ofstream(bitmap, std::ios::trunc).write(std::string(1 << 24, '\0').data(), 1 << 24);
    return false;
  };
  auto touched = observe::observe_idle(timed, bitmap);
  const observe::Window seen = touched->window(sample, 0.01, 1);
  const auto shown = std::count(seen.touched.pages.begin(), seen.touched.pages.end(), 1);
  EXPECT_GE(shown, static_cast<std::ptrdiff_t>(kMappedPages));
  std::filesystem::remove(bitmap);
}

TEST(Observe, AnUnobservableProcessOrABadOptionIsRefused) {
  struct Row {
    LearnPlan plan;
    const char* says;
  };
  LearnPlan none, kernel, self, interval, method, duration;
  none.pid = 1 << 22;
  kernel.pid = 2;
  self.pid = interval.pid = method.pid = duration.pid = getpid();
  interval.interval_ms = 0.01;
  duration.interval_ms = 2000;
  method.method = "telepathy";
  const Child child;
  method.pid = child.pid();
  for (const auto& [plan, says] :
       {Row{none, "no such process"}, Row{self, "cannot be observed"}, Row{interval, "interval"},
        Row{method, "no such method"}, Row{duration, "too long"}}) {
    const auto got = learn(plan);
    ASSERT_FALSE(got.ok()) << says;
    EXPECT_NE(got.error().what.find(says), std::string::npos) << got.error().what;
    EXPECT_EQ(got.error().kind, base::ErrorKind::usage) << says;
  }
  if (!std::filesystem::exists("/proc/2/stat") || getppid() == 0) return;
  const auto thread = learn(kernel);
  EXPECT_FALSE(thread.ok());
}

TEST(Observe, LearnOfAnEndedProcessIsAnError) {
  auto command = base::system::Subprocess::hold({"true"}, base::system::Subprocess::Orphan::goes_on);
  ASSERT_TRUE(command.ok() && command->let_go() == 0);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(command->pid()), &ended, WEXITED | WNOWAIT), 0);
  LearnPlan plan;
  plan.pid = command->pid();
  const auto got = learn(plan);  // a zombie: nobody has waited for it
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().cause.find("zombie"), std::string::npos) << got.error().cause;
}

TEST(Observe, MethodsListsEveryRowWithStateAndCause) {
  const auto rows = methods();
  ASSERT_EQ(rows.size(), method_rows().size());
  for (const MethodState& row : rows) {
    EXPECT_NE(row.available, !row.cause.empty()) << row.name;
    EXPECT_FALSE(row.tells.empty() || row.cannot_tell.empty()) << row.name;
  }
  EXPECT_TRUE(choose_method("").ok());
}

TEST_IN_ATTEMPTS(Observe, LearnGivesAProfileOfALivingProcess) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitized build is not observed";
  const Child child;
  LearnPlan plan;
  plan.pid = child.pid();
  plan.duration_s = 3;
  int told = 0;
  const auto got = learn(plan, nullptr, [&](const LearnProgress&) { ++told; });
  ASSERT_TRUE(got.ok()) << got.error().what << ": " << got.error().cause;
  EXPECT_GE(got->profile.working_set_bytes, kTouched * observe::kPageBytes);
  EXPECT_LT(got->profile.working_set_bytes, (kTouched + 300) * observe::kPageBytes);
  EXPECT_GE(got->profile.mapped_bytes, kMappedPages * observe::kPageBytes);
  EXPECT_GT(told, 2);
}

TEST_IN_ATTEMPTS(Observe, StopEndsLearnEarly) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitized build is not observed";
  const Child child;
  LearnPlan plan;
  plan.pid = child.pid();
  plan.duration_s = 600;
  std::atomic<std::uint32_t> stop{0};
  const auto got = learn(plan, &stop, [&](const LearnProgress& p) {
    if (p.elapsed_s > 6) stop = 1;
  });
  ASSERT_TRUE(got.ok()) << got.error().what;
  EXPECT_LT(got->profile.observed_s, 60);
}

}  // namespace
}  // namespace fathom::paging::learn
