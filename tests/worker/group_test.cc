// Workers start, are heard and end, as processes and as threads, however they end; what others start is left to them.
#include "worker/group.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/time.h"

namespace fathom::worker {
namespace {

// Looks until so many have ended.
Heard hear(Group& group, std::size_t ends) {
  Heard all;
  for (const auto end_ns = base::monotonic_ns() + 20'000'000'000;
       all.ends.size() < ends && base::monotonic_ns() < end_ns;) {
    auto heard = group.look(50);
    for (auto& message : heard.messages) {
      EXPECT_TRUE(std::none_of(all.ends.begin(), all.ends.end(), [&](auto& end) {
        return end.worker == message.worker;
      })) << "what is said comes before the end";
      all.messages.push_back(std::move(message));
    }
    for (auto& end : heard.ends) all.ends.push_back(end);
  }
  EXPECT_EQ(all.ends.size(), ends);
  return all;
}

class GroupWorkers : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kind, GroupWorkers, testing::Bool(),
                         [](auto& p) { return p.param ? "threads" : "processes"; });

TEST_P(GroupWorkers, MessagesAreHeardBeforeTheStatus) {
  Group group(3);
  for (std::size_t i = 0; i < 3; ++i)
    ASSERT_TRUE(group.start(i, {GetParam(), [i](const Voice& voice) {
                                  voice.ready();
                                  voice.other("words of " + std::to_string(i));
                                  return static_cast<int>(i);
                                }}));
  const auto heard = hear(group, 3);
  EXPECT_EQ(heard.messages.size(), 6u);
  for (const auto& end : heard.ends) {
    EXPECT_TRUE(end.whole);
    EXPECT_EQ(end.status, static_cast<int>(end.worker));
    EXPECT_EQ(end.signal(), 0);
    EXPECT_EQ(end.how(), "ended with status " + std::to_string(end.worker));
  }
  while (group.living() > 0) group.look(1);
}

TEST_P(GroupWorkers, StartTogether) {
  base::system::SharedArray<Steps> go(1);
  base::system::SharedArray<std::atomic<int>> went(1);
  Group group(4);
  for (std::size_t i = 0; i < 4; ++i)
    ASSERT_TRUE(group.start(i, {GetParam(), [&](const Voice& voice) {
                                  voice.ready();
                                  go[0].await(1);
                                  went[0].fetch_add(1);
                                  return 0;
                                }}));
  for (std::size_t ready = 0; ready < 4;) ready += group.look(1000).messages.size();
  EXPECT_EQ(went[0].load(), 0);
  EXPECT_EQ(group.living(), 4u);
  go[0].take(1);
  hear(group, 4);
  EXPECT_EQ(went[0].load(), 4);
}

TEST_P(GroupWorkers, TheDestructorWaits) {
  base::system::SharedArray<std::atomic<int>> ended(1);
  {
    Group group(2);
    for (std::size_t i = 0; i < 2; ++i)
      ASSERT_TRUE(group.start(i, {GetParam(), [&](const Voice& voice) {
                                    base::sleep_ns(20'000'000);
                                    voice.other(std::string(200'000, 'x'));  // more than the pipe holds
                                    ended[0].fetch_add(1);
                                    return 0;
                                  }}));
  }
  EXPECT_EQ(ended[0].load(), 2);
}

TEST(Group, AKilledProcessIsReportedWithItsSignal) {
  Group group(2);
  for (std::size_t i = 0; i < 2; ++i)
    ASSERT_TRUE(group.start(i, {false, [i](const Voice& voice) {
                                  voice.other("last words");
                                  if (i == 0) ::raise(SIGUSR1);
                                  for (;;) ::pause();
                                  return 0;
                                }}));
  const auto first = hear(group, 1);
  ASSERT_EQ(first.ends[0].worker, 0u);
  EXPECT_FALSE(first.ends[0].whole);
  EXPECT_FALSE(first.ends[0].by_us);
  EXPECT_EQ(first.ends[0].signal(), SIGUSR1);
  EXPECT_EQ(first.ends[0].how(), "was killed by signal 10 (User defined signal 1)");
  EXPECT_TRUE(group.living(1));
  group.kill(1);
  const auto second = hear(group, 1);
  EXPECT_TRUE(second.ends[0].by_us);
  EXPECT_EQ(second.ends[0].signal(), SIGKILL);
  EXPECT_EQ(group.living(), 0u);
}

TEST(Group, AnExitFromWithinTheBodyIsNoWholeEnd) {
  Group group(1);
  ASSERT_TRUE(group.start(0, {false, [](const Voice&) -> int { ::_exit(5); }}));
  const auto heard = hear(group, 1);
  EXPECT_FALSE(heard.ends[0].whole);
  EXPECT_EQ(heard.ends[0].how(), "ended with status 5");
}

TEST(Group, KillAllLeavesNoProcess) {
  Group group(3);
  for (std::size_t i = 0; i < 2; ++i)
    ASSERT_TRUE(group.start(i, {false, [](const Voice&) -> int {
                                  for (;;) ::pause();
                                }}));
  const auto heard = group.kill_all(20'000'000'000);
  EXPECT_EQ(heard.ends.size(), 2u);
  EXPECT_EQ(group.living(), 0u);
}

TEST(Group, IsAdmittedBeforeItsBodyBegins) {
  base::system::SharedArray<std::atomic<int>> admitted(1), seen(1);
  Group group(1);
  const auto admit = [&](pid_t pid) {
    base::sleep_ns(20'000'000);
    admitted[0].store(static_cast<int>(pid));
    return base::Expected<void>();
  };
  ASSERT_TRUE(group.start(0, {false,
                              [&](const Voice&) {
                                seen[0].store(admitted[0].load());
                                return 0;
                              },
                              admit}));
  hear(group, 1);
  EXPECT_NE(seen[0].load(), 0);
  EXPECT_EQ(seen[0].load(), admitted[0].load());
}

TEST(Group, AProcessThatIsNotAdmittedDoesNotRun) {
  base::system::SharedArray<std::atomic<int>> ran(1);
  Group group(1);
  const auto refuse = [](pid_t) -> base::Expected<void> { return base::system_error("join", ENOSPC); };
  const auto body = [&](const Voice&) {
    ran[0].store(1);
    return 0;
  };
  const auto ok = group.start(0, {false, body, refuse});
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().sys_errno, ENOSPC);
  const auto heard = hear(group, 1);
  EXPECT_FALSE(heard.ends[0].whole);
  EXPECT_EQ(ran[0].load(), 0);
}

// waitpid(-1) would take it.
TEST(Group, ForeignChildrenAreNotReaped) {
  const pid_t other = ::fork();
  if (other == 0) ::_exit(42);
  Group group(1);
  ASSERT_TRUE(group.start(0, {false, [](const Voice&) {
                                base::sleep_ns(50'000'000);
                                return 0;
                              }}));
  hear(group, 1);
  while (group.living() > 0) group.look(1);
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

// Asked of a parent of their own: this one lives on.
TEST(Group, WhenTheParentDiesSoDoItsProcesses) {
  base::system::SharedArray<std::atomic<int>> pid(1);
  int alive[2];
  ASSERT_EQ(::pipe(alive), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    Group group(1);
    const auto body = [&](const Voice&) -> int {
      pid[0].store(::getpid());
      for (;;) ::pause();
    };
    if (!group.start(0, {false, body})) ::_exit(1);
    while (pid[0].load() == 0) group.look(1);
    ::kill(::getpid(), SIGKILL);
  }
  ::close(alive[1]);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  EXPECT_NE(pid[0].load(), 0);
  char byte;
  EXPECT_EQ(::read(alive[0], &byte, 1), 0) << "its last holder is gone";
  ::close(alive[0]);
}

TEST(Group, ProcessesIgnoreSignalsThatEndARun) {
  Group group(1);
  ASSERT_TRUE(group.start(0, {false, [](const Voice&) {
                                for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::raise(signal);
                                return 3;
                              }}));
  const auto heard = hear(group, 1);
  EXPECT_TRUE(heard.ends[0].whole);
  EXPECT_EQ(heard.ends[0].status, 3);
}

TEST(Group, ARefusedForkIsReportedWithItsErrno) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(77);
    Group group(1);
    const auto ok = group.start(0, {false, [](const Voice&) { return 0; }});
    ::_exit(!ok && ok.error().sys_errno == EAGAIN && group.living() == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "cannot become another user here";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace fathom::worker
