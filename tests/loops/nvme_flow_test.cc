// Whole jobs on ioengine=nvme over the controller in software: every mode, size and depth gives the counts that the job
// asked for; every fault that the device can be told to have ends the job soon, with its errno, each I/O told of once.
// The device is stepped by the driver where order matters and has a thread of its own where time does.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/attempts.h"
#include "engine/userspace/nvme_devices.h"
#include "loops/flow.h"

namespace fathom::loops {
namespace {

class NvmeFlow : public ::testing::Test {
 protected:
  // Another controller each time: a word that differs makes it another device.
  static std::string soft(const std::string& words) {
    static int id = 0;
    return "soft:id=" + std::to_string(++id) + (words.empty() ? "" : "," + words);
  }
  static result::Run run(const std::string& device, const std::string& text, FlowOptions flow = {}) {
    return run_text("[n]\nioengine=nvme\nthread\nnvme_timeout=2s\nsize=4m\nfilename=" + device + "\n" + text, flow);
  }
  static result::Job job(const std::string& device, const std::string& text, FlowOptions flow = {}) {
    const auto all = run(device, text, flow);
    EXPECT_FALSE(all.jobs.empty()) << text;
    return all.jobs.empty() ? result::Job{} : all.jobs[0];
  }
  static std::string message(const result::Job& j) { return j.errors.empty() ? "" : j.errors[0].message; }
  void TearDown() override { engine::userspace::close_nvme_devices(); }
};

std::uint64_t all_ios(const result::Job& j) { return j.dirs[0].ios + j.dirs[1].ios + j.dirs[2].ios; }
std::uint64_t all_bytes(const result::Job& j) { return j.dirs[0].bytes + j.dirs[1].bytes + j.dirs[2].bytes; }

// What must hold of any job that went well.
void expect_sound(const result::Job& j, const std::string& text) {
  EXPECT_EQ(j.error, 0) << text;
  EXPECT_EQ(j.error_count, 0u) << text;
  ASSERT_TRUE(j.queue.has_value()) << text;
  EXPECT_EQ(j.queue->unexpected, 0u) << text;
  EXPECT_EQ(j.queue->timeouts, 0u) << text;
  EXPECT_EQ(j.queue->commands, j.queue->completions) << text;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = j.dirs[d];
    EXPECT_EQ(dir.ios, dir.issued) << text;
    if (dir.ios == 0 || dir.lat.moments_ns.n == 0) continue;
    EXPECT_EQ(dir.lat.moments_ns.n, dir.ios) << text;
    EXPECT_EQ(dir.clat.moments_ns.n, dir.ios) << text;
    EXPECT_LE(dir.lat.moments_ns.max, (j.job_runtime_ms + 1) * 1'000'000) << text;
  }
}

constexpr const char* kModes[] = {
    "rw=read",
    "rw=randread",
    "rw=write",
    "rw=randwrite",
    "rw=trim",
    "rw=randtrim",
    "rw=randread\nnorandommap",
    "rw=randwrite\nnorandommap\nsync=1",
    "rw=randread\nbs=64k",
    "rw=randread\nbsrange=4k-32k\nblockalign=4k",
    "rw=randwrite\nbssplit=4k/50:12k/50",
    "rw=read:4k",
    "rw=randread\nrandom_distribution=zipf:1.1\nnorandommap",
};
constexpr const char* kDepths[] = {
    "iodepth=1", "iodepth=16", "iodepth=32\niodepth_batch=32\niodepth_batch_complete_max=32",
    "iodepth=64\niodepth_batch=16\niodepth_batch_complete_min=4\niodepth_batch_complete_max=64\niodepth_low=8",
    "iodepth=16\niodepth_batch_complete_min=0"};

TEST_F(NvmeFlow, EveryModeCompletesAtEveryDepth) {
  for (const char* words : {"step", "bs=512,step", "mdts=1,bs=512,step"}) {
    const std::string device = soft(words);
    const bool every = std::string(words) == "step";
    for (const char* mode : kModes)
      for (const char* depth : kDepths) {
        if (!every && depth != kDepths[3]) continue;
        const std::string text = std::string(mode) + "\nsize=2m\n" + depth;
        const auto j = job(device, text);
        expect_sound(j, std::string(words) + "\n" + text);
        const bool whole = text.find(":4k") == std::string::npos;
        if (whole) {
          EXPECT_EQ(all_bytes(j), 2u << 20) << words << "\n" << text;
        }
        EXPECT_LE(all_bytes(j), 2u << 20) << words << "\n" << text;
        EXPECT_GT(all_bytes(j), 1u << 19) << words << "\n" << text;
      }
  }
}

TEST_F(NvmeFlow, CountsAreTheSameWithADeviceThread) {
  const std::string device = soft("");
  for (const char* mode : kModes) {
    const std::string text =
        std::string(mode) + "\nsize=512k\niodepth=32\niodepth_batch=32\niodepth_batch_complete_max=32";
    expect_sound(job(device, text), text);
  }
}

TEST_F(NvmeFlow, RwmixreadSplitsReadsAndWrites) {
  const auto j = job(soft("step"), "rw=randrw\nrwmixread=70\niodepth=16");
  expect_sound(j, "randrw");
  EXPECT_EQ(all_ios(j), 1024u);
  EXPECT_NEAR(static_cast<double>(j.dirs[0].ios), 717, 60);
}

TEST_F(NvmeFlow, SyncsAreFlushes) {
  const auto j = job(soft("step"), "rw=randwrite\nfsync=10\niodepth=8");
  expect_sound(j, "fsync");
  EXPECT_EQ(j.dirs[1].ios, 1024u);
  EXPECT_NEAR(static_cast<double>(j.sync_ios), 102, 1);
  EXPECT_EQ(j.queue->commands, j.dirs[1].ios + j.sync_ios);
}

TEST_F(NvmeFlow, AnIoBeyondMdtsIsSplitAndCountedOnce) {
  for (const char* ring : {"", "\nnvme_queue_entries=4"}) {
    const auto j = job(soft("mdts=1,step"), std::string("rw=randwrite\nbs=64k\niodepth=8\nverify=crc32c") + ring);
    EXPECT_EQ(j.error, 0) << message(j) << ring;
    EXPECT_EQ(j.dirs[1].ios, 64u) << ring;
    EXPECT_EQ(j.dirs[0].ios, 64u) << "each was read back" << ring;
    EXPECT_EQ(j.queue->split, 64u) << ring;
    EXPECT_EQ(j.queue->commands, 64u * 8) << "8 KiB a command" << ring;
    if (*ring != 0) {
      EXPECT_GT(j.queue->waited, 0u) << "parts beyond the ring's slots wait";
    }
  }
}

// effect: nvme_queue_entries
TEST_F(NvmeFlow, IodepthBeyondTheRingWaitsAndIsReported) {
  const auto all = run(soft("step"), "rw=randread\niodepth=64\nnvme_queue_entries=8\niodepth_batch=64");
  const auto& j = all.jobs.at(0);
  expect_sound(j, "ring of 8");
  EXPECT_EQ(j.dirs[0].ios, 1024u);
  EXPECT_GT(j.queue->waited, 0u);
  bool told = false;
  for (const auto& finding : all.findings) told |= finding.evidence.find("7 in flight") != std::string::npos;
  EXPECT_TRUE(told) << "no silent fallback";
}

TEST_F(NvmeFlow, JobsShareAControllerEachWithItsQueuePair) {
  const auto all = run(soft(""), "rw=randread\niodepth=8\nsize=1m\nnumjobs=3");
  ASSERT_EQ(all.jobs.size(), 3u);
  for (const auto& j : all.jobs) {
    expect_sound(j, "numjobs");
    EXPECT_EQ(j.dirs[0].ios, 256u);
    EXPECT_EQ(j.queue->queue_pairs, 1u);
  }
}

// Four queue pairs are all that there are.
// effect: nvme_unused_queues
TEST_F(NvmeFlow, UnusedQueuePairsAreMadeAndCountAgainstTheControllersLimit) {
  const std::string text = "rw=randread\niodepth=8\nnvme_unused_queues=";
  for (int again = 0; again < 2; ++again) {  // they are given back
    const auto j = job(soft("queues=4,step"), text + "3");
    expect_sound(j, "three besides");
    EXPECT_EQ(j.dirs[0].ios, 1024u);
    EXPECT_EQ(j.queue->queue_pairs, 1u) << "that carried I/O";
  }
  const auto refused = job(soft("queues=4,step"), text + "4");
  EXPECT_NE(refused.error, 0);
  EXPECT_NE(message(refused).find("no I/O queue left"), std::string::npos) << message(refused);
}

// Known of the job where it is collected, so that whatever is made of the result has it.
TEST_F(NvmeFlow, TheDeviceIsDescribed) {
  const auto all = run(soft("ideal,step"), "rw=read\nnumjobs=2\ngroup_reporting");
  for (const auto* jobs : {&all.jobs, &all.group_members})
    for (const auto& j : *jobs) {
      ASSERT_TRUE(j.queue && j.queue->devices.size() == 1);
      EXPECT_NE(j.queue->devices[0].model, "");
      EXPECT_NE(j.queue->devices[0].serial, "");
      EXPECT_NE(j.queue->devices[0].firmware, "");
    }
}

// What only the worker met is said as what planning met: once a section, with the place of its job.
TEST_F(NvmeFlow, AWorkersSetupErrorIsReportedOnceASection) {
  std::vector<base::Error> said;
  FlowOptions flow;
  flow.said = &said;
  const auto all = run(soft("queues=4"), "rw=randread\niodepth=8\nnvme_unused_queues=4\nnumjobs=2", flow);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].what.find("no I/O queue left"), std::string::npos) << said[0].what;
  EXPECT_NE(said[0].help, "");
  ASSERT_TRUE(said[0].place);
  EXPECT_EQ(said[0].place->line_text, "[n]");
  ASSERT_EQ(all.errors.size(), 2u);
  for (const auto& e : all.errors) {
    EXPECT_EQ(e.remedy, said[0].help);
    EXPECT_EQ(e.place, (result::Place{"flow.fio", 1, 2}));
    EXPECT_TRUE(e.message.starts_with("fathom: pid=")) << e.message;
  }
}

TEST_F(NvmeFlow, TwoNamespacesOfOneControllerVerify) {
  const std::string device = soft("ns=2,step");
  const auto j = job(device + "/ns=1:" + device + "/ns=2", "rw=randwrite\niodepth=8\nverify=crc32c");
  EXPECT_EQ(j.error, 0) << message(j);
  EXPECT_EQ(j.dirs[1].bytes, 4u << 20);
  EXPECT_EQ(j.dirs[0].bytes, 4u << 20);
}

// effect: depth_per_file
TEST_F(NvmeFlow, DepthPerFileKeepsEachDeviceBusyByItself) {
  const std::string devices = soft("size=8m,step") + ":" + soft("size=16m,step") + ":" + soft("size=64m,step");
  for (const char* clock : {"cpu", "clock_gettime"}) {
    const auto j = job(devices, std::string("depth_per_file=1\nrw=randread\nnorandommap\niodepth=16\nnumber_ios="
                                            "5000\nio_size=1g\nsize=8m\nclocksource=") +
                                    clock);
    expect_sound(j, clock);
    ASSERT_EQ(j.queue->devices.size(), 3u);
    EXPECT_EQ(j.queue->queue_pairs, 3u);
    EXPECT_EQ(j.dirs[0].ios, 15000u) << clock;
    for (const auto& d : j.queue->devices) EXPECT_EQ(d.read_ios, 5000u) << d.name;
  }
}

// Each device has a loop of its own, and all of them one log.
TEST_F(NvmeFlow, DepthPerFileDevicesShareTheJobsLogs) {
  const auto prefix =
      (std::filesystem::temp_directory_path() / ("fathom-nvme-log-" + std::to_string(::getpid()))).string();
  const auto j =
      job(soft("size=8m,step") + ":" + soft("size=8m,step"),
          "depth_per_file=1\nrw=randread\niodepth=4\nnumber_ios=32\nio_size=1g\nsize=8m\nwrite_lat_log=" + prefix);
  EXPECT_EQ(j.dirs[0].ios, 64u);
  std::ifstream log(prefix + "_clat.1.log");
  std::size_t lines = 0;
  for (std::string line; std::getline(log, line);) ++lines;
  EXPECT_EQ(lines, 64u);
  for (const char* kind : {"slat", "clat", "lat"}) std::filesystem::remove(prefix + "_" + kind + ".1.log");
}

TEST_F(NvmeFlow, TimedTheRampIsNotCounted) {
  steady::attempts([&] {
    const auto j = job(soft("ideal"), "rw=randread\ntime_based\nruntime=200ms\nramp_time=300ms\niodepth=8");
    EXPECT_EQ(j.error, 0);
    EXPECT_EQ(j.dirs[0].lat.moments_ns.n, j.dirs[0].ios);
    EXPECT_LT(j.dirs[0].runtime_ms, 300u);
    ASSERT_TRUE(j.queue.has_value());
    EXPECT_NEAR(static_cast<double>(j.queue->completions), static_cast<double>(j.dirs[0].ios), 8);
    EXPECT_LE(j.queue->idle_ns + j.queue->busy_ns, 400'000'000u);
  });
}

TEST_F(NvmeFlow, TimedRateIopsIsKept) {
  steady::attempts([&] {
    const auto j = job(soft("ideal,step"), "rw=randread\ntime_based\nruntime=500ms\niodepth=8\nrate_iops=2000");
    EXPECT_EQ(j.error, 0);
    EXPECT_LE(j.dirs[0].ios, 1008u);
    EXPECT_GE(j.dirs[0].ios, 700u) << "a machine with much else to do may be late";
  });
}

TEST_F(NvmeFlow, VerifyReadsBackWhatWasWritten) {
  char folder[] = "/var/tmp/fathom-nvme-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  for (const char* bs : {"512", "4096"})
    for (const std::string& media : {std::string("media=ram"), std::string("media=file:") + folder + "/m" + bs})
      for (const char* text : {"rw=write\nbs=4k\niodepth=1", "rw=randwrite\nbs=16k\niodepth=16",
                               "rw=randrw\nbs=4k\niodepth=8\niodepth_batch=8\niodepth_batch_complete_max=8"}) {
        const bool threaded = media != "media=ram" && std::string(text).find("16k") != std::string::npos;
        const std::string words = "size=8m,bs=" + std::string(bs) + (threaded ? "," : ",step,") + media;
        const auto j = job(soft(words), std::string(text) + "\nsize=512k\nverify=crc32c");
        EXPECT_EQ(j.error, 0) << words << "\n" << text << message(j);
        EXPECT_GT(j.dirs[1].ios, 0u) << words << "\n" << text;
        EXPECT_GE(j.dirs[0].ios, j.dirs[1].ios) << words << "\n" << text;
        engine::userspace::close_nvme_devices();
      }
  std::filesystem::remove_all(folder);
}

TEST_F(NvmeFlow, CountsDoNotDependOnStampsOrClock) {
  const std::string device = soft("step");
  for (const char* text :
       {"gtod_reduce=1", "clocksource=clock_gettime", "clocksource=gettimeofday", "clocksource=cpu", "disable_slat=1"})
    for (const bool fio : {false, true}) {
      const auto j =
          job(device, std::string("rw=randread\niodepth=16\niodepth_batch=4\niodepth_batch_complete_max=16\n") + text,
              {.fio_stamps = fio});
      expect_sound(j, std::string(text) + (fio ? " fio" : ""));
      EXPECT_EQ(j.dirs[0].ios, 1024u) << text;
    }
}

// effect: nvme_sq_doorbell nvme_cq_doorbell
TEST_F(NvmeFlow, EveryOptimizationCanBeSwitchedOff) {
  for (const char* trick :
       {"nvme_sq_copy=words", "nvme_sq_copy=sse2", "nvme_sq_copy=nontemporal", "nvme_sq_doorbell=command",
        "nvme_cq_doorbell=entry", "nvme_cq_doorbell=lazy", "nvme_lookahead=none", "nvme_lookahead=pipeline",
        "nvme_cq_read=entry", "nvme_context=request", "nvme_cqe_bytes=64", "nvme_trackers=page", "nvme_divide=1"})
    for (const char* words : {"cqes=6,step", "cqes=6,ideal,step", "cqes=6"}) {
      const bool stepped = std::string(words) != "cqes=6";
      if (!stepped && std::string(trick).find("doorbell") == std::string::npos) continue;
      const std::uint64_t ios = stepped ? 4096 : 256;
      const std::string text =
          "rw=randread\niodepth=32\niodepth_batch=32\niodepth_batch_complete_max=32\nclocksource=cpu\n" +
          std::string(stepped ? "loops=4\n" : "size=1m\n") + trick;
      const auto j = job(soft(words), text);
      expect_sound(j, text + words);
      EXPECT_EQ(j.dirs[0].ios, ios) << text << words;
      if (std::string(trick) == "nvme_sq_doorbell=command") {
        EXPECT_EQ(j.queue->sq_doorbells, ios);
      }
      if (std::string(trick) == "nvme_cq_doorbell=entry") {
        EXPECT_EQ(j.queue->cq_doorbells, ios);
      }
      if (std::string(trick) == "nvme_cq_doorbell=lazy") {
        EXPECT_LT(j.queue->cq_doorbells, stepped ? 200u : 256u);
      }
      engine::userspace::close_nvme_devices();
    }
}

// Faults. A job of 1024 reads at depth 8, the fault after the hundredth.
struct FaultCase {
  const char* name;
  const char* fault;
  int error;
  const char* words;  // of the message
};
class NvmeFault : public NvmeFlow, public ::testing::WithParamInterface<FaultCase> {};
INSTANTIATE_TEST_SUITE_P(Faults, NvmeFault,
                         ::testing::Values(FaultCase{"status", "status:after=100", EIO, "nrecovered"},
                                           FaultCase{"write_protected", "status:after=100:sc=0x182", EROFS, "ead"},
                                           FaultCase{"drop", "drop:after=100", 0, ""},
                                           FaultCase{"every_drop", "drop:after=100:every=1", 0, ""},
                                           FaultCase{"late", "late:after=100:by=20ms", 0, ""},
                                           FaultCase{"duplicate", "duplicate_cid:after=100", 0, ""},
                                           FaultCase{"wrong_phase", "wrong_phase:after=100", ETIMEDOUT, "nvme_timeout"},
                                           FaultCase{"fatal", "fatal:after=100", EIO, "controller failed"},
                                           FaultCase{"removal", "removal:after=100", ENODEV, "gone"}),
                         [](const auto& i) { return std::string(i.param.name); });

// effect: nvme_timeout
TEST_P(NvmeFault, EndsTheJobSoonWithItsErrno) {
  const auto& fault = GetParam();
  const bool drops = std::string(fault.name).find("drop") != std::string::npos;
  const bool ends_by_timeout = drops || fault.error == ETIMEDOUT;
  for (const char* how : {"", ",step"})
    for (const char* batches : {"", "iodepth_batch=8\niodepth_batch_complete_max=8\n", "iodepth_batch_complete_min=0\n",
                                "depth_per_file=1\n"}) {
      const bool threaded = *how == 0;
      if (threaded && std::string(batches).find("complete_min") == std::string::npos) continue;
      const std::string where = std::string(fault.fault) + how + " " + batches;
      const std::string timeout = !ends_by_timeout ? "10s" : threaded ? "300ms" : "50ms";
      const auto from = std::chrono::steady_clock::now();
      const auto j = job(soft("fault=" + std::string(fault.fault) + how),
                         "rw=randread\niodepth=8\nruntime=100\nnvme_timeout=" + timeout + "\n" + batches);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
      EXPECT_LT(seconds, 60) << where;
      if (drops) {
        EXPECT_GT(j.queue->timeouts, 0u) << where;
      } else {
        EXPECT_EQ(j.error, fault.error) << where << message(j);
        EXPECT_NE(message(j).find(fault.words), std::string::npos) << where << message(j);
      }
      const auto& d = j.dirs[0];
      EXPECT_EQ(d.issued, d.ios + d.error_ios) << where << " each I/O ends once";
      EXPECT_EQ(d.lat.moments_ns.n, d.ios) << where;
      if (fault.error == 0 && j.error == 0) {
        EXPECT_EQ(d.ios, 1024u) << where;
      }
      if (fault.error != 0) {
        EXPECT_GE(d.ios, 90u) << where << " what went well is reported";
      }
      if (std::string(fault.name) == "duplicate") {
        EXPECT_GE(j.queue->unexpected, 1u) << where;
      }
      engine::userspace::close_nvme_devices();
    }
}

TEST_F(NvmeFlow, ADroppedCompletionTimesOutAmongOthers) {
  const auto from = std::chrono::steady_clock::now();
  const auto j = job(soft("ideal,fault=drop:after=1000"),
                     "rw=randread\niodepth=32\niodepth_batch=32\niodepth_batch_complete_max=32\ntime_based\nruntime="
                     "100\nnvme_timeout=200ms");
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count(), 60);
  EXPECT_GE(j.queue->timeouts, 1u);
  EXPECT_NE(j.error, 0);
}

TEST_F(NvmeFlow, AFailedControllerIsOpenedAgainForTheNextJob) {
  const std::string device = soft("fault=fatal:after=10,step");
  const auto all =
      run(device, "rw=randread\niodepth=4\n[next]\nstonewall\nioengine=nvme\nthread\nsize=4m\nfilename=" + device +
                      "\nrw=randread\niodepth=4\n");
  ASSERT_EQ(all.jobs.size(), 2u);
  EXPECT_EQ(all.jobs[0].error, EIO);
  EXPECT_EQ(all.jobs[1].error, EIO) << "its fault comes again";
  EXPECT_EQ(all.jobs[1].dirs[0].ios, 10u);
}

// For two seconds; BringUp.never_ready_is_an_error_with_csts_and_remedy has a clock of its own.
TEST_F(NvmeFlow, TimedAControllerThatNeverGetsReadyFailsPlanning) {
  const auto from = std::chrono::steady_clock::now();
  const auto plans =
      run::plan_jobs(parse_jobs("[n]\nioengine=nvme\nrw=read\nsize=4m\nfilename=" + soft("fault=never_ready,step")));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count(), 60);
  ASSERT_FALSE(plans.ok());
  EXPECT_NE((plans.error().what + plans.error().cause).find("ready"), std::string::npos)
      << plans.error().what << plans.error().cause;
  EXPECT_FALSE(plans.error().help.empty());
}

}  // namespace
}  // namespace fathom::loops
