// A refill allocates nothing and makes no system call: the first is counted, for the second the process gives up the
// right to (seccomp's strict mode) and lives on.
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "paging/allocations.h"
#include "paging/source_support.h"
#include "paging/sources/profile.h"
#include "paging/temporary_file.h"

namespace fathom::paging {
namespace {

const char* const kNames[] = {"uniform",        "linear",        "normal",           "normal_ih",    "pareto",
                              "zipf",           "hot",           "profile",          "trace",        "legacy:linear",
                              "legacy:uniform", "legacy:normal", "legacy:normal_ih", "legacy:pareto"};

// Files that outlive the source. The trace fits into the ring (8,192 accesses), so that no refill waits for its reader.
struct Files {
  TemporaryFile profile{sources::write_profile([] {
    sources::Profile made;
    made.working_set_bytes = 1 << 20;
    made.zipf_theta = 0.9;
    made.hot_move_s = 0.001;
    made.hot_move_share = 0.5;
    return made;
  }())};
  TemporaryFile trace{[] {
    std::string text;
    for (int i = 0; i < 8000; ++i) text += "W 1000\n";
    return text;
  }()};
  PatternPlan plan(const std::string& name, bool permute) const {
    PatternPlan made = plan_of(name);
    made.permute = permute && name != "trace" && !name.starts_with("legacy");
    made.hot_move_s = name == "hot" ? 0.001 : 0;
    made.file = name == "trace" ? trace.path() : profile.path();
    return made;
  }
};

void refill_often(sources::AccessSource& source) {
  Block block;
  for (std::uint64_t i = 0; i < 100; ++i) source.refill(block, i * 300'000);
}

TEST(AccessSource, a_refill_allocates_nothing) {
  const Files files;
  for (const char* name : kNames)
    for (const bool permute : {false, true}) {
      const auto source = make(files.plan(name, permute), 1000);
      const std::uint64_t before = allocations_so_far();
      refill_often(*source);
      EXPECT_EQ(allocations_so_far(), before) << name;
    }
  if (!FATHOM_TSAN) {
    EXPECT_GT(allocations_so_far(), 0u);
  }
}

TEST(AccessSource, a_refill_makes_no_system_call) {
#if FATHOM_ASAN || FATHOM_TSAN
  GTEST_SKIP() << "a sanitizer makes system calls of its own";
#else
  const Files files;
  for (const char* name : kNames) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto source = make(files.plan(name, true), 1000);
      Block block;
      source->refill(block, 0);  // what libm looks up on its first call
      const bool strict = ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0;
      refill_often(*source);
      ::syscall(SYS_exit, strict ? 0 : 77);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "the kernel has no seccomp";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << name << ": " << status;
  }
#endif
}

}  // namespace
}  // namespace fathom::paging
