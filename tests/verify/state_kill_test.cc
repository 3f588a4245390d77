// SIGKILL at a random moment of a process that saves states one after another: what is there is one of its states,
// whole, and no older than the last that it said was saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <random>

#include "base/time.h"
#include "verify/state_support.h"

namespace fathom::verify {
namespace {

using namespace testing;

constexpr int kKills = 40;

// Long, so that many of the moments lie in the middle of writing it.
state::State long_state(std::uint64_t writes_issued) {
  state::State state = small_state(writes_issued);
  state.slots.assign(20'000, writes_issued);
  state.depth = 20'000;
  return state;
}

using Shared = std::atomic<std::uint64_t>;

[[noreturn]] void save_for_ever(const std::string& path, Shared& begun, Shared& saved) {
  for (std::uint64_t n = 1;; ++n) {
    begun = n;
    if (!state::save_state(path, long_state(n)).ok()) ::_exit(1);
    saved = n;
  }
}

TEST(SaveState, AKillLeavesTheOldStateOrTheNewOneWhole) {
  const Folder folder;
  const std::string path = folder / "s";
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* counts = new (memory) Shared[2];
  std::mt19937 random(std::random_device{}());
  int in_the_middle = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    counts[0] = counts[1] = 0;
    ASSERT_TRUE(state::save_state(path, long_state(0)).ok());
    const pid_t child = ::fork();
    if (child == 0) save_for_ever(path, counts[0], counts[1]);
    while (counts[1] == 0) base::sleep_ns(10'000);
    base::sleep_ns(random() % 1'000'000);
    ::kill(child, SIGKILL);
    ASSERT_EQ(status_of(child), 128 + SIGKILL);
    const auto state = state::load_state(path);
    ASSERT_TRUE(state.ok()) << state.error().what << "; " << state.error().cause;
    EXPECT_EQ(*state, long_state(state->writes_issued));
    EXPECT_GE(state->writes_issued, counts[1]);
    EXPECT_LE(state->writes_issued, counts[0]);
    in_the_middle += counts[0] != counts[1];
  }
  EXPECT_GT(in_the_middle, kKills / 10);
  // Linux names a file in one step or replaces one: between the two calls it has a name of its own.
  for (const std::string& name : folder.names()) EXPECT_TRUE(name == "s" || name.starts_with(".s.")) << name;
  ::munmap(memory, 4096);
}

}  // namespace
}  // namespace fathom::verify
