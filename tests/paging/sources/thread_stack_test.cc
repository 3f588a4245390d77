// A measuring thread's own stack: what the C library takes of it comes on top, and its guard is there or is said not to
// be.
#include "paging/sources/thread_stack.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/sanitized.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"
#include "paging/sources/thread_record.h"

namespace fathom::paging::sources {
namespace {

constexpr std::size_t kAskedBytes = 16 << 10, kFrameBytes = 12 << 10;
constexpr const char* kTlsBytes = "FATHOM_TEST_TLS_BYTES";

// Most of what was asked for, in one frame, every byte; on the stack itself, also where ASan would keep frames
// elsewhere.
__attribute__((no_sanitize_address)) void* fills_a_frame(void* seen) {
  volatile char frame[kFrameBytes];
  for (auto& byte : frame) byte = 1;
  *static_cast<std::uintptr_t*>(seen) = reinterpret_cast<std::uintptr_t>(&frame[0]);
  return nullptr;
}

TEST(ThreadStack, HasRoomForAllBytesAskedFor) {
  ThreadStack stack(kAskedBytes);
  pthread_t thread{};
  std::uintptr_t frame = 0;
  ASSERT_TRUE(stack.start(thread, fills_a_frame, &frame).ok());
  ::pthread_join(thread, nullptr);
  const auto memory = stack.memory();
  const auto lowest = reinterpret_cast<std::uintptr_t>(memory.data());
  EXPECT_GE(frame, lowest);
  EXPECT_LE(frame + kFrameBytes, lowest + memory.size());
  EXPECT_GE(memory.size(), kAskedBytes + stack_bytes_of_library());
  EXPECT_EQ(memory.size() % kPage, 0u);
  if (const char* const bytes = ::getenv(kTlsBytes)) {
    EXPECT_GT(stack_bytes_of_library(), std::strtoul(bytes, nullptr, 10)) << "the loader was not told";
  }
}

// This test program again, with as much thread-local memory as the loader is told to keep free: on stacks of a fixed
// 24 KiB a thread could not be made, or had some bytes of it.
TEST(ThreadStack, AddsTheLibrarysThreadLocalMemoryOnTop) {
  if (stack_bytes_of_library() == 0) GTEST_SKIP() << "this C library does not say how much it takes";
  for (const char* bytes : {"14000", "18000", "300000"}) {
    const int pid = ::fork();
    if (pid == 0) {
      ::setenv("GLIBC_TUNABLES", (std::string("glibc.rtld.optional_static_tls=") + bytes).c_str(), 1);
      ::setenv(kTlsBytes, bytes, 1);
      ::execl("/proc/self/exe", "test", "--gtest_filter=ThreadStack.HasRoom*", nullptr);
      ::_exit(99);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0) << bytes;
  }
}

// "START-END PERMISSIONS ..." of the mapping that ends where a stack begins.
std::string permissions_below(const void* address) {
  const std::string maps = host::proc::read_text("/proc/self/maps");
  for (const auto line : host::proc::split_lines(maps)) {
    const auto dash = line.find('-'), space = line.find(' ');
    if (std::stoull(std::string(line.substr(dash + 1, space - dash - 1)), nullptr, 16) ==
        reinterpret_cast<std::uintptr_t>(address))
      return std::string(line.substr(space + 1, 4));
  }
  return "";
}

void* nothing(void*) { return nullptr; }

TEST(ThreadStack, HasAGuardPageBelow) {
  if (::sysconf(_SC_THREAD_STACK_MIN) > static_cast<long>(kAskedBytes)) GTEST_SKIP() << "more is mapped than is used";
  ThreadStack stack(kAskedBytes);
  pthread_t thread{};
  ASSERT_TRUE(stack.start(thread, nothing, nullptr).ok());
  ::pthread_join(thread, nullptr);
  EXPECT_EQ(permissions_below(stack.memory().data()), "---p");
}

constexpr std::size_t kMostMappings = 200'000;

// Mappings of one page that cannot be joined, until the kernel gives no more.
void take_all_mappings(std::vector<void*>& all) {
  while (all.size() < all.capacity()) {
    const int access = all.size() % 2 == 0 ? PROT_READ : PROT_NONE;
    void* const at = ::mmap(nullptr, kPage, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    all.push_back(at);
  }
}

// In a child. 0: a guard could not be made and was an error, and the first stack that was made has one.
int with_few_mappings() {
  std::vector<void*> all;
  all.reserve(kMostMappings + 1000);
  take_all_mappings(all);
  unsigned refused_guards = 0;
  for (int tries = 0; tries < 8; ++tries) {
    ThreadStack stack(kAskedBytes);
    pthread_t thread{};
    const auto started = stack.start(thread, nothing, nullptr);
    if (!started) refused_guards += started.error().what.find("guard") != std::string::npos;
    if (!started && !stack.memory().empty()) return 1;
    if (started) {
      ::pthread_join(thread, nullptr);
      for (std::size_t i = 0; i < all.size() && i < 2000; ++i) ::munmap(all[i], kPage);  // to look needs memory
      if (permissions_below(stack.memory().data()) != "---p") return 2;
      return refused_guards > 0 ? 0 : 3;
    }
    ::munmap(all.back(), kPage);
    all.pop_back();
  }
  return 4;
}

TEST(ThreadStack, AFailedGuardPageIsAnError) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer needs mappings of its own";
  const std::string most = host::proc::read_text("/proc/sys/vm/max_map_count");
  if (most.empty() || std::stoull(most) > kMostMappings) GTEST_SKIP() << "too many mappings are allowed here: " << most;
  const int pid = ::fork();
  if (pid == 0) ::_exit(with_few_mappings());
  int status = 0;
  ::waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace fathom::paging::sources
