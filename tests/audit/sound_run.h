// A run without a doubt, and the names of the doubts about a changed one.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "audit/run_findings.h"
#include "driven_by.h"

namespace fathom::audit {

inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::uint64_t kMiB = 1 << 20;

// A sound run: 2 s of direct reads, 100 MiB, of a file on vda, seen in full by the block layer, by a tested clock.
inline result::Run sound_run() {
  result::Run run;
  run.host.memory_bytes = 8192 * kMiB;
  result::DeviceFacts device;
  device.target = "/data/t.0.0";
  device.kind = "regular";
  device.file_system = "ext4";
  device.disk = "vda";
  run.host.devices = {device};
  result::Disk disk;
  disk.name = "vda";
  disk.read_sectors = 100 * kMiB / 512;
  run.disks = {disk};
  result::Job job;
  job.name = "t";
  drive_by("io_uring", job);
  job.options = {{"rw", "randread"}, {"direct", "1"}};
  job.clock.source = "cpu";
  job.clock.verdict = "passed";
  auto& read = job.dirs[0];
  read.bytes = 100 * kMiB;
  read.ios = 25600;
  read.runtime_ns = 2 * kSecond;
  for (int i = 0; i < 100; ++i) read.clat.moments_ns.add(80'000);
  run.jobs = {job};
  return run;
}

inline std::vector<std::string> ids(const result::Run& run) {
  std::vector<std::string> found;
  for (const auto& f : run_findings(run)) {
    found.push_back(f.id);
    EXPECT_FALSE(f.evidence.empty());
    EXPECT_FALSE(f.remedy.empty());
  }
  return found;
}

}  // namespace fathom::audit
