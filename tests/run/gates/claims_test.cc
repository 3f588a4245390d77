// Who may have which bytes: known answers, and threads that would see each other.
#include "run/gates/claims.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace fathom::run::gates {
namespace {

constexpr Claim claim(std::uint64_t ticket, std::uint64_t begin, std::uint64_t end, bool granted, bool shared = false) {
  return {ticket, 1, begin, end, shared, granted};
}

bool enters(Gate& gate, io::Request request) { return gate.enter(request) == Admission::go; }

TEST(Claims, OverlappingRangesConflictUnlessBothRead) {
  EXPECT_TRUE(in_each_others_way(claim(1, 0, 10, false), claim(2, 9, 20, false)));
  EXPECT_FALSE(in_each_others_way(claim(1, 0, 10, false), claim(2, 10, 20, false)));
  EXPECT_FALSE(in_each_others_way(claim(1, 0, 10, false, true), claim(2, 0, 10, false, true))) << "both read";
  EXPECT_TRUE(in_each_others_way(claim(1, 0, 10, false, true), claim(2, 0, 10, false)));
  Claim elsewhere = claim(1, 0, 10, false);
  elsewhere.file = 2;
  EXPECT_FALSE(in_each_others_way(elsewhere, claim(2, 0, 10, false)));
}

TEST(Claims, FirstComeFirstServed) {
  const std::vector<Claim> all{claim(3, 0, 10, true), claim(5, 5, 15, false), claim(4, 10, 20, false), {}};
  EXPECT_TRUE(may_be_granted(all, 2)) << "next to what is granted";
  EXPECT_FALSE(may_be_granted(all, 1)) << "in the way of what is granted";
  const std::vector<Claim> later{claim(0, 0, 10, true), claim(5, 5, 15, false), claim(4, 10, 20, false), {}};
  EXPECT_FALSE(may_be_granted(later, 1)) << "who asked before goes first";
}

TEST(Claims, ReleasingTwiceCountsOnce) {
  Claims claims(2);
  EXPECT_TRUE(claims.ask(0, claim(0, 0, 10, false)));
  EXPECT_TRUE(claims.ask(0, claim(0, 0, 10, false))) << "asked again";
  EXPECT_FALSE(claims.ask(1, claim(0, 0, 10, false)));
  const auto seen = claims.changes();
  claims.give_back(0);
  claims.give_back(0);
  EXPECT_EQ(claims.changes(), seen + 1);
  EXPECT_TRUE(claims.ask(1, claim(0, 0, 10, false)));
}

// A reader that waits for a writer does not let readers that come later by.
TEST(Claims, WritersAreNotStarved) {
  Claims claims(3);
  EXPECT_TRUE(claims.ask(0, claim(0, 0, 10, false, true)));
  EXPECT_FALSE(claims.ask(1, claim(0, 0, 10, false)));
  EXPECT_FALSE(claims.ask(2, claim(0, 0, 10, false, true)));
  claims.give_back(0);
  EXPECT_FALSE(claims.ask(2, claim(0, 0, 10, false, true)));
  EXPECT_TRUE(claims.ask(1, claim(0, 0, 10, false)));
}

// effect: lockfile=exclusive
TEST(Claims, LockfileExclusiveAdmitsOneIoAtATime) {
  constexpr int kThreads = 4, kTurns = 2000;
  Claims claims(kThreads);
  job::fields::Submit submit;  // lockfile=exclusive
  submit.lock = job::fields::FileLock::exclusive;
  const io::Target target{.path = "/f"};
  int inside = 0, most = 0, total = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      ClaimGate gate(claims, i, submit, {&target, 1}, 0);
      for (int turn = 0; turn < kTurns; ++turn) {
        while (!enters(gate, {.offset = i * 4096, .length = 4096})) gate.wait();
        most = std::max(most, ++inside);
        ++total;
        --inside;
        gate.leave();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(total, kThreads * kTurns);
}

// effect: lockfile=readwrite
TEST(Claims, LockfileReadwriteAdmitsOnlyReadsTogether) {
  Claims claims(3);
  job::fields::Submit submit;  // lockfile=readwrite
  submit.lock = job::fields::FileLock::readwrite;
  const io::Target target{.path = "/f"};
  ClaimGate one(claims, 0, submit, {&target, 1}, 0), two(claims, 1, submit, {&target, 1}, 1),
      three(claims, 2, submit, {&target, 1}, 2);
  EXPECT_TRUE(enters(one, {.length = 1, .dir = io::Dir::read}));
  EXPECT_TRUE(enters(two, {.length = 1, .dir = io::Dir::read}));
  EXPECT_FALSE(enters(three, {.length = 1, .dir = io::Dir::write}));
  one.leave();
  EXPECT_FALSE(enters(three, {.length = 1, .dir = io::Dir::write}));
  two.leave();
  EXPECT_TRUE(enters(three, {.length = 1, .dir = io::Dir::write}));
}

// Killed with a claim, and in the middle of asking: the others go on once the parent has taken its claim out.
TEST(Claims, ClaimsOfAKilledProcessCanBeReleased) {
  Claims claims(2);
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) {
      claims.ask(0, claim(0, 0, 10, false));
      claims.give_back(0);
    }
  }
  ::usleep(20'000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  claims.give_back(0);
  EXPECT_TRUE(claims.ask(1, claim(0, 0, 10, false)));
}

}  // namespace
}  // namespace fathom::run::gates
