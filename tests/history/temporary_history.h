// A history in a directory of its own, and runs for it.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "history/store.h"

namespace fathom::history {

class TemporaryHistory : public ::testing::Test {
 protected:
  TemporaryHistory() {
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;  // each run is synced
    auto name = std::string(in_memory ? "/dev/shm" : "/var/tmp") + "/fathom-history-XXXXXX";
    directory_ = ::mkdtemp(name.data());
  }
  ~TemporaryHistory() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name = "history.db") const { return directory_ / name; }

  std::filesystem::path directory_;
};

inline Entry entry_named(const std::string& run_id, std::uint64_t time_epoch_ms, double iops = 1000,
                         const std::string& job = "a") {
  Entry entry;
  entry.run_id = run_id, entry.time_epoch_ms = time_epoch_ms;
  entry.title = job, entry.workload = "randread, 4 KiB", entry.command = "fathom run", entry.checks = "passed";
  entry.environment[kHostFact] = "alpha", entry.environment[kProgramFact] = "fathom 1 (c)";
  entry.whole = {iops * 4096, iops, 1e9 / iops, 2000.0};
  entry.parts = {{job, "read", entry.whole}};
  return entry;
}

// The id of the new run; 0: the test has failed.
inline std::uint64_t add(Store& store, const Entry& entry, const std::string& text = "{}") {
  const auto added = store.add(entry, text);
  EXPECT_TRUE(added.ok()) << added.error().what << "; " << added.error().cause;
  return added ? added->id : 0;
}

}  // namespace fathom::history
