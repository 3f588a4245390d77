// The contract of engines with a queue: what ring() and reap() may and may not do.
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "bench.h"
#include "io/options/hipri.h"

namespace fathom::engine::test {
namespace {

class QueuedEngine : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, QueuedEngine,
                         ::testing::ValuesIn(cases([](const Info& i) { return i.asynchronous; })), case_name);

std::vector<io::Target> targets_for(const Case& c, const TempFile& file) {
  if (!c.info().needs_files) return {};
  return {file.target()};
}

TEST_P(QueuedEngine, WithoutPostsRingAndReapReturnZero) {
  const TempFile file(4 * kBlock);
  Bench bench(GetParam(), targets_for(GetParam(), file), 4);
  ASSERT_TRUE(bench.open());
  io::Completion out[4];
  EXPECT_EQ(bench.box().ring(), 0);
  EXPECT_EQ(bench.box().reap(0, out), 0);
}

// What the C library remembers of its threads outlives a fork, they do not: requests would wait for ever.
TEST(PosixAioInAChild, IsRefusedBesideThreadsThatUsedIt) {
  const TempFile file(4 * kBlock);
  const auto posixaio = cases([](const Info& i) { return i.name == "posixaio"; }).at(0);
  Bench in_threads(posixaio, {file.target()}, 4);
  ASSERT_TRUE(in_threads.open());
  const auto in_a_process = [&] {
    Bench bench(posixaio, {file.target()}, 4);
    const auto opened = bench.open();
    ::_exit(opened.ok() ? 0 : opened.error().sys_errno);
  };
  EXPECT_EXIT(in_a_process(), testing::ExitedWithCode(EBUSY), "");
}

TEST_P(QueuedEngine, PostAloneStartsNothing) {
  const TempFile file(4 * kBlock);
  Bench bench(GetParam(), targets_for(GetParam(), file), 4);
  ASSERT_TRUE(bench.open());
  io::Completion out[4];
  bench.post(0, request(io::Dir::read, 0));
  EXPECT_EQ(bench.box().reap(0, out), 0);
  bench.submit();
  EXPECT_EQ(bench.finish().size(), 1u);
}

TEST_P(QueuedEngine, ReapReturnsNoMoreThanFits) {
  const TempFile file(16 * kBlock);
  Bench bench(GetParam(), targets_for(GetParam(), file), 16);
  ASSERT_TRUE(bench.open());
  for (std::uint32_t slot = 0; slot < 16; ++slot) bench.post(slot, request(io::Dir::read, slot * kBlock));
  bench.submit();
  std::vector<bool> seen(16);
  io::Completion out[5];
  for (unsigned left = 16; left > 0;) {
    const int n = bench.box().reap(std::min(left, 5u), out);
    ASSERT_EQ(n, static_cast<int>(std::min(left, 5u)));
    for (int i = 0; i < n; ++i) {
      EXPECT_FALSE(seen[out[i].slot]);
      seen[out[i].slot] = true;
    }
    left -= static_cast<unsigned>(n);
  }
}

TEST_P(QueuedEngine, ReapWaitsForTheWholeMinimum) {
  const TempFile file(64 * kBlock, O_RDWR | O_DIRECT);
  Bench bench(GetParam(), targets_for(GetParam(), file), 64);
  ASSERT_TRUE(bench.open());
  for (std::uint32_t slot = 0; slot < 64; ++slot) bench.post(slot, request(io::Dir::read, slot * kBlock));
  for (int taken = 0; taken < 64;) {
    const int n = bench.box().ring();
    ASSERT_GE(n, 0);
    taken += n;
  }
  io::Completion out[64];
  int n = 0;
  do n = bench.box().reap(64, out);
  while (n == -EINTR);  // work of the kernel for a ring of an earlier test interrupts io_getevents(2) without a signal
  EXPECT_EQ(n, 64);
}

// Polling with reap(0) alone brings everything in, on a direct file whose completions arrive later: deferred work is
// run.
TEST_P(QueuedEngine, PollingReapsEverythingWithoutWaiting) {
  if (GetParam().info().fake_time) GTEST_SKIP() << "time stands still unless it is waited for";
  const TempFile file(16 * kBlock, O_RDWR | O_DIRECT);
  Bench bench(GetParam(), targets_for(GetParam(), file), 16);
  ASSERT_TRUE(bench.open());
  for (std::uint32_t slot = 0; slot < 16; ++slot) bench.post(slot, request(io::Dir::read, slot * kBlock));
  for (int taken = 0; taken < 16;) taken += bench.box().ring();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  unsigned got = 0;
  io::Completion out[16];
  while (got < 16 && std::chrono::steady_clock::now() < give_up) {
    const int n = bench.box().reap(0, out);
    ASSERT_GE(n, 0);
    got += static_cast<unsigned>(n);
  }
  EXPECT_EQ(got, 16u);
}

// A depth kept full over many more I/Os than slots: the rings wrap, and every slot is reused.
TEST_P(QueuedEngine, AFullQueueWrapsManyTimes) {
  constexpr std::uint32_t kDepth = 5;
  constexpr std::uint64_t kTotal = 500;
  const TempFile file(64 * kBlock);
  Bench bench(GetParam(), targets_for(GetParam(), file), kDepth);
  ASSERT_TRUE(bench.open());
  Box& box = bench.box();
  std::uint64_t at[kDepth] = {};
  std::uint64_t posted = 0, done = 0, waiting = 0;
  const auto post = [&](std::uint32_t slot) {
    at[slot] = posted * 7 % 64 * kBlock;
    box.post(slot, request(io::Dir::read, at[slot]), bench.buffer(slot));
    ++posted, ++waiting;
  };
  for (std::uint32_t slot = 0; slot < kDepth; ++slot) post(slot);
  io::Completion out[kDepth];
  while (done < kTotal) {
    while (waiting > 0) waiting -= static_cast<std::uint64_t>(box.ring());
    const int n = box.reap(1, out);
    ASSERT_GT(n, 0);
    for (int i = 0; i < n; ++i, ++done) {
      ASSERT_EQ(out[i].result, static_cast<std::int32_t>(kBlock));
      if (GetParam().info().needs_files) {
        ASSERT_TRUE(holds({bench.buffer(out[i].slot), kBlock}, pattern(at[out[i].slot], kBlock)));
      }
      if (posted < kTotal) post(out[i].slot);
    }
  }
  EXPECT_EQ(done, kTotal);
}

// Whose queue is the kernel's: trims go beside it.
bool hands_over(const Info& i) { return i.needs_files && i.asynchronous && i.name != "vsync" && i.name != "posixaio"; }

class QueuedFileEngine : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, QueuedFileEngine, ::testing::ValuesIn(cases(hands_over)), case_name);

// A trim stands where it was posted: what was posted before goes first, what was posted after goes later.
TEST_P(QueuedFileEngine, ATrimKeepsItsPlaceAmongIos) {
  const TempFile file(8 * kBlock);
  Bench bench(GetParam(), {file.target()}, 8);
  ASSERT_TRUE(bench.open());
  Box& box = bench.box();
  bench.post(0, request(io::Dir::read, 0));
  bench.post(1, request(io::Dir::read, kBlock));
  bench.post(2, request(io::Dir::trim, 2 * kBlock));
  bench.post(3, request(io::Dir::trim, 3 * kBlock));
  bench.post(4, request(io::Dir::read, 2 * kBlock));
  EXPECT_EQ(box.ring(), 2);
  EXPECT_EQ(box.ring(), 1);
  EXPECT_EQ(box.ring(), 1);
  EXPECT_EQ(box.ring(), 1);
  EXPECT_EQ(box.ring(), 0);
  io::Completion out[8];
  unsigned got = 0;
  while (got < 5) {
    const int n = box.reap(1, std::span(out).subspan(got));
    ASSERT_GT(n, 0);
    got += static_cast<unsigned>(n);
  }
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(out[i].result, static_cast<std::int32_t>(kBlock)) << out[i].slot;
  EXPECT_TRUE(holds({bench.buffer(4), kBlock}, std::vector<std::byte>(kBlock)));
}

class IoUringEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(ends_), 0);
    setup_.targets = targets_;
    targets_[0] = {.path = "pipe", .kind = io::TargetKind::character, .fd = ends_[0]};
    setup_.depth = 4;
    setup_.buffers = memory_;
    setup_.buffer_stride = kBlock;
  }
  void TearDown() override {
    for (const int fd : ends_) ::close(fd);
  }
  int ends_[2] = {-1, -1};
  io::Target targets_[1];
  alignas(4096) std::byte memory_[4 * kBlock] = {};
  engine::Setup setup_;
  queue::UringEngine engine_;
  io::Completion out_[4];
};

TEST_F(IoUringEngine, ReapWithoutAMinimumDoesNotWait) {
  ASSERT_TRUE(engine_.open(setup_));
  engine_.post(0, request(io::Dir::read, 0), memory_);
  ASSERT_EQ(engine_.ring(), 1);
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(engine_.reap(0, out_), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60));
  ASSERT_EQ(::write(ends_[1], "abc", 3), 3);
  ASSERT_EQ(engine_.reap(1, out_), 1);
  EXPECT_EQ(out_[0].result, 3);
  EXPECT_EQ(std::memcmp(memory_, "abc", 3), 0);
}

TEST_F(IoUringEngine, ASignalEndsTheWait) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGALRM, &action, nullptr), 0);
  for (const bool poll_thread : {false, true}) {
    setup_.options.kernel_submits = poll_thread;
    ASSERT_TRUE(engine_.open(setup_));
    engine_.post(0, request(io::Dir::read, 0), memory_);
    ASSERT_EQ(engine_.ring(), 1);
    const itimerval tick{{0, 20'000}, {0, 20'000}};
    ASSERT_EQ(::setitimer(ITIMER_REAL, &tick, nullptr), 0);
    EXPECT_EQ(engine_.reap(1, out_), -EINTR);
    const itimerval off{};
    ::setitimer(ITIMER_REAL, &off, nullptr);
    ASSERT_EQ(::write(ends_[1], "abc", 3), 3);
    EXPECT_EQ(engine_.reap(1, out_), 1);
  }
}

// Whatever the device can do, polling is never dropped silently: the I/O is polled, or it fails and says why.
TEST_F(IoUringEngine, HipriIsPolledOrRefused) {
  const TempFile file(4 * kBlock, O_RDWR | O_DIRECT);
  targets_[0] = file.target();
  setup_.options.own.get<io::HipriOptions>().hipri = true;
  ASSERT_TRUE(engine_.open(setup_));
  engine_.post(0, request(io::Dir::read, 0), memory_);
  ASSERT_EQ(engine_.ring(), 1);
  ASSERT_EQ(engine_.reap(1, out_), 1);
  EXPECT_TRUE(out_[0].result == -EOPNOTSUPP || out_[0].result == static_cast<std::int32_t>(kBlock)) << out_[0].result;
}

TEST_F(IoUringEngine, UsesEveryFeatureOnARecentKernel) {
  utsname u{};
  ASSERT_EQ(::uname(&u), 0);
  int major = 0, minor = 0;
  ASSERT_EQ(std::sscanf(u.release, "%d.%d", &major, &minor), 2);
  if (major < 6 || (major == 6 && minor < 1)) GTEST_SKIP() << "Linux " << u.release << " lacks DEFER_TASKRUN";
  ASSERT_TRUE(engine_.open(setup_));
  EXPECT_EQ(engine_.fallbacks(), std::vector<std::string>{});
}

// Ten batches of 32; system_calls_test.py counts the calls that this makes.
TEST(IoUringBatches, TenBatchesOfThirtyTwoComplete) {
  const TempFile file(32 * kBlock);
  Case plain{};
  for (const Case& c : kCases)
    if (std::string_view(c.engine) == "io_uring" && std::string_view(c.variant) == "plain") plain = c;
  Bench bench(plain, {file.target()}, 32);
  ASSERT_TRUE(bench.open());
  io::Completion out[32];
  for (int round = 0; round < 10; ++round) {
    for (std::uint32_t slot = 0; slot < 32; ++slot)
      bench.box().post(slot, request(io::Dir::read, slot * kBlock), bench.buffer(slot));
    ASSERT_EQ(bench.box().ring(), 32);
    ASSERT_EQ(bench.box().reap(32, out), 32);
  }
}

}  // namespace
}  // namespace fathom::engine::test
