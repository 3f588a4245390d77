// Results made by hand, as run/ would make them, for the tests of the reports. All values are fixed, so texts can be
// golden.
#pragma once
#include <initializer_list>

#include "result/result.h"

namespace fathom::report {

inline result::Latency latency_of(std::initializer_list<std::uint64_t> samples_ns, std::uint64_t times = 1) {
  result::Latency latency;
  for (std::uint64_t ns : samples_ns) {
    for (std::uint64_t i = 0; i < times; ++i) latency.moments_ns.add(ns);
    latency.histogram_ns.add(ns, times);
  }
  return latency;
}

inline const std::vector<double> kDefaultPercentiles = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                                        80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

// The CPU clock after a long test of this boot.
inline result::ClockFacts sound_clock() {
  result::ClockFacts clock;
  clock.source = "cpu";
  clock.verdict = "passed";
  clock.ticks_per_second = 2.5e9;
  clock.calibration = "CLOCK_MONOTONIC_RAW over 10 ms";
  clock.calibration_error_ppm = 1.5;
  clock.resolution_ns = 0.4;
  clock.read_cost_ns = 8.25;
  clock.test = "long";
  clock.test_cached = true;
  clock.cpus_tested = "0-1";
  clock.detectable_ns = 35;
  clock.reason = "the CPU clock is invariant and passed the cross-core test (long)";
  clock.drift_ppm = 0.25;
  clock.drift_bound_ppm = 0.5;
  return clock;
}

// Asked for although it failed, and off by more than its bound.
inline result::ClockFacts unfit_clock() {
  result::ClockFacts clock = sound_clock();
  clock.verdict = "failed";
  clock.test = "short";
  clock.test_cached = false;
  clock.mismatches = 17;
  clock.fit = false;
  clock.reason = "time ran backwards between CPUs 0 and 1 by up to 210 ns";
  clock.drift_ppm = -240;
  return clock;
}

// One job, randrw on a file: 1000 reads and 500 writes of 4 KiB in a second.
inline result::Job sample_job() {
  result::Job job;
  job.name = "t";
  job.pid = 4242;
  job.start_epoch_ms = 1'721'999'911'000;
  job.elapsed_s = 1;
  job.job_runtime_ms = 1000;
  job.engine = "libaio";
  job.options = {{"name", "t"}, {"ioengine", "libaio"}, {"rw", "randrw"},
                 {"bs", "4k"},  {"iodepth", "8"},       {"numjobs", "1"}};
  job.iodepth = 8;
  for (std::size_t i = 0; i < result::kDirs; ++i) job.bs_min[i] = job.bs_max[i] = 4096;
  job.rw = "randrw";
  job.percentile_list = kDefaultPercentiles;
  job.has_slat = true;
  for (std::size_t i = 0; i < 2; ++i) {
    auto& dir = job.dirs[i];
    dir.ios = dir.issued = i == 0 ? 1000 : 500;
    dir.bytes = dir.ios * 4096;
    dir.moved_ios = dir.ios;
    dir.moved_bytes = dir.bytes;
    dir.runtime_ms = 1000;
    dir.runtime_ns = 1'000'123'456;
    dir.slat = latency_of({900, 1100, 1300, 5200, 900'000}, dir.ios / 5);
    dir.clat = latency_of({70'000, 81'000, 95'000, 240'000, 19'500'000}, dir.ios / 5);
    dir.lat = latency_of({71'000, 82'100, 96'300, 245'200, 20'400'000}, dir.ios / 5);
    dir.bw_kib_s = {3900, 4100, 4000.5, 141.4, 2};
    dir.iops = {975, 1025, 1000.25, 35.3, 2};
    dir.series = {{500, 500, dir.bytes / 2, dir.ios / 2}, {1000, 500, dir.bytes / 2, dir.ios / 2}};
  }
  job.series_width_ms = 500;
  job.usr_cpu_percent = 12.5;
  job.sys_cpu_percent = 40.25;
  job.ctx_switches = 1502;
  job.minor_faults = 13;
  job.depth.level = {1, 2, 4, 1493, 0, 0, 0};
  job.depth.submit = {0, 1500, 0, 0, 0, 0, 0};
  job.depth.complete = {0, 1480, 20, 0, 0, 0, 0};
  job.depth.submit_calls = 1500;
  job.depth.complete_calls = 1500;
  job.stamps.submit = {1500, 1500, 1, 1234.5, 5600};
  job.stamps.reap = {1480, 1500, 8, 340.0, 2200};
  job.clock = sound_clock();
  job.own_cost = result::OwnCost{4.25, 31.5};
  return job;
}

inline result::Group sample_group(int id, const result::Job& job, std::uint64_t jobs = 1) {
  result::Group group;
  group.id = id;
  for (std::size_t i = 0; i < result::kDirs; ++i) {
    const auto& dir = job.dirs[i];
    if (dir.bytes == 0) continue;
    const double rate = static_cast<double>(dir.bytes) * 1000 / static_cast<double>(dir.runtime_ms);
    const double one = rate / static_cast<double>(jobs);
    group.dirs[i] = {true, dir.bytes, rate, one, one, dir.runtime_ms, dir.runtime_ms, {}, ""};
    if (jobs == 1) continue;
    group.dirs[i].series = {{500, 500, dir.bytes, dir.ios, dir.ios, 1'000, 2'000}};
    group.dirs[i].series_latency = "mixed";
  }
  return group;
}

inline result::Run empty_run() {
  result::Run run;
  run.program.version = "0.1.0";
  run.program.commit = "0123456789ab";
  run.program.compiler = "GNU 12.2.0";
  run.program.argv = {"fathom", "run", "t.fio"};
  run.time_epoch_ms = 1'721'999'912'345;  // Fri Jul 26 13:18:32 2024 UTC
  run.host.hostname = "host";
  run.host.kernel = "6.1.0";
  run.host.machine = "x86_64";
  run.host.cpus_online = run.host.cpus_allowed = 2;
  run.host.page_bytes = 4096;
  return run;
}

// Reads agree, writes are explained by somebody else, one counter was lost, one link is slow.
inline result::Audit sample_audit() {
  result::Audit audit;
  audit.verdict = result::Verdict::explained;
  audit.line =
      "explained: 3.91 MiB read, 1.95 MiB written; block vda +0.20 % read, +8.00 % (foreign_io) write; no PCIe PMU";
  result::AuditWitness read{"block",
                            "vda",
                            "read",
                            result::Verdict::agrees,
                            4'096'000,
                            4'104'192,
                            4'104'192,
                            4'104'192,
                            69'632,
                            "sectors x 512 bytes",
                            {{"engine", 4'096'000, "1000 I/Os, ramp and reading back included"}},
                            {},
                            "",
                            ""};
  result::AuditWitness write = read;
  write.direction = "write";
  write.verdict = result::Verdict::explained;
  write.expected_bytes = 2'048'000;
  write.seen_bytes = write.seen_low_bytes = write.seen_high_bytes = 2'211'840;
  write.terms = {{"engine", 2'048'000, "500 I/Os, ramp and reading back included"}};
  write.explained = {{"others on vda", 163'840, "99 logger 160 KiB"}};
  write.cause = "other processes wrote 160 KiB meanwhile: 99 logger 160 KiB";
  write.diagnosis = "foreign_io";
  audit.witnesses = {read, write};
  audit.foreign = {
      {"vda", "write", 163'840, 40, 0.051, 1.5, true, "99 logger 160 KiB",
       "other processes wrote 160 KiB to vda (40 requests, together about 0.051 s; the run took 1.5 s): 99 logger "
       "160 KiB"},
      {"vda",
       "discard",
       8'388'608,
       0,
       {},
       1.5,
       false,
       "99 blkdiscard has it open for writing",
       "other processes discarded 8.00 MiB of vda within 1.5 s: 99 blkdiscard has it open for writing"}};
  audit.link = {{"0000:01:00.0", "current_link_speed", "2.5 of 16 GT/s", 2.5}};
  audit.ports = {"0000:00:02.0", "0000:01:00.0"};
  audit.missing = {"PCIe PMU: this machine has none that counts a port's bytes"};
  result::Count count;
  count.source = "block";
  count.subject = "vda";
  count.name = "read_sectors";
  count.direction = "read";
  count.value = count.low = count.high = 4'104'192;
  count.unit = "bytes";
  count.window_s = 1.5;
  count.rule = "sectors x 512 bytes";
  count.raw = 8016;
  count.unit_bytes = 512;
  audit.counts = {count};
  count.subject = "sda";
  count.lost_at_s = 0.75;
  audit.counts.push_back(count);
  return audit;
}

// One job, one disk, one finding: what most runs look like.
inline result::Run simple_run() {
  result::Run run = empty_run();
  run.end_epoch_ms = run.time_epoch_ms + 1500;
  run.jobs = {sample_job()};
  run.groups = {sample_group(0, run.jobs[0])};
  run.jobs[0].process_io = {true, 4'096'000, 2'048'000, 4'096'000, 2'048'000, 0};
  auto& delivery = run.jobs[0].delivery;
  delivery.sizes[0] = {{4096, 4096, 60, 600}, {16384, 16384, 40, 400}};
  delivery.other_ios[0] = 1;
  delivery.asked_read_percent = 66;
  delivery.asked_depth = 8;
  delivery.mean_depth = 7.5;
  delivery.depth_samples = 20;
  delivery.full_samples = 18;
  delivery.asked_size_bytes = delivery.asked_bytes = 8'192'000;
  delivery.window_bytes = 8'192'000;
  delivery.done_bytes = 6'144'000;
  run.audit = sample_audit();
  result::Disk disk{"vda", 1002, 540, 1, 22, 8016, 4320, 95, 61, 160, 93.75, {}};
  run.disks = {disk};
  result::DeviceFacts device;
  device.target = "/tmp/t.0.0";
  device.kind = "regular";
  device.file_system = "ext4";
  device.mount_point = "/";
  device.mount_options = "rw,relatime";
  device.disk = "vda";
  run.host.devices = {device};
  run.findings = {{"run.too_short", result::Severity::note, "t", "measured for 0.999 s",
                   "let the job run longer: a larger size=, or time_based with runtime="}};
  return run;
}

// group_reporting over three clones and a second group with a thread; a description, syncs, a stacked disk, a paced
// job.
inline result::Run grouped_run() {
  result::Run run = empty_run();
  run.global_options = {{"ioengine", "libaio"}, {"group_reporting", "1"}};
  result::Job sum = sample_job();
  sum.members = 3;
  sum.description = "three of a kind";
  sum.sync_ios = 40;
  sum.sync_lat = latency_of({41'000, 70'000, 175'000}, 10);
  for (int i = 0; i < 3; ++i) {
    result::Job member = sample_job();
    member.job_number = i;
    member.pid = 4242 + i;
    run.group_members.push_back(member);
  }
  result::Job paced = sample_job();
  paced.name = "paced";
  paced.section = 1;
  paced.thread = true;
  paced.group_id = 1;
  paced.job_number = 3;
  paced.rw = "read";
  paced.lat_percentiles = true;
  paced.dirs[1] = {};
  paced.dirs[0].intended_lat = latency_of({71'000, 82'100, 96'300, 1'245'200, 1'020'400'000}, 200);
  paced.dirs[0].start_delay = latency_of({90, 140, 310, 56'000, 1'020'000'000}, 200);
  paced.rate = {true, {1000, 0, 0}, {0, 0, 0}, 200};
  paced.clock.source = "clock_gettime";
  paced.clock.fell_back = true;
  paced.clock.reason = "the kernel's own clock source is hpet, not tsc";
  paced.clock.drift_ppm.reset();
  paced.own_cost.reset();
  run.jobs = {sum, paced};
  run.groups = {sample_group(0, sum, 3), sample_group(1, paced)};
  result::Disk first{"sda", 400, 200, 0, 0, 3200, 1600, 30, 20, 50, 45.5, {}};
  result::Disk second{"sdb", 602, 340, 1, 22, 4816, 2720, 65, 41, 110, 51.25, {}};
  result::Disk stacked{"dm-0", 1002, 540, 0, 0, 8016, 4320, 95, 61, 160, 93.75, {first, second}};
  run.disks = {stacked};
  return run;
}

// An I/O error on a file whose name is no text, interrupted, repeated, settled.
inline result::Run troubled_run() {
  result::Run run = empty_run();
  result::Job job = sample_job();
  job.error = 5;
  job.error_count = 1;
  job.interrupted = true;
  job.dirs[0].error_ios = 1;
  job.clock = unfit_clock();
  result::IoError error{
      5, "read", "/mnt/\xff\x01\"x", 8192, 4096, "fathom: read of 4096 bytes at 8192 failed: Input/output error", "t"};
  job.errors = {error};
  run.jobs = {job};
  run.groups = {sample_group(0, job)};
  run.errors = {error};
  run.interrupted = true;
  run.settle = {true, true, 1.5, 0.7, 2.0, 8192.0};
  run.repeated = {{"t", "read", "iops", "1/s", {990, 1000, 1010}, 1000, 10, 1000, 975.16, 1024.84}};
  run.repetitions = {simple_run(), simple_run()};
  return run;
}

// Two devices of one thread, which waited for them an eighth of the time: 1500 I/Os, 1000 of them on the first.
inline result::QueueStats sample_queue() {
  result::QueueStats queue;
  queue.queue_pairs = 2;
  queue.commands = queue.completions = queue.ios = 1500;
  queue.sq_doorbells = 50;
  queue.cq_doorbells = 75;
  queue.polls = 400;
  queue.idle_polls = 300;
  queue.split = 3;
  queue.idle_ns = 125'000'000;
  queue.busy_ns = 875'000'000;
  queue.ticks_per_ns = 2.5;
  queue.sq_copy = "nontemporal";
  queue.devices = {{"0000:04:00.0/1", "Example SSD", "S1", "F1", 512, 1ull << 40, 700, 300, 30'000'000, 9'000, 400'000},
                   {"vfio-user:/run/a.sock/ns=2", "fathom soft", "S2", "F2", 4096, 1ull << 30, 300, 200, 40'000'000,
                    11'000, 20'400'000}};
  return queue;
}

// A job of the user-space driver beside one of software alone, with a modelled doorbell.
inline result::Run queue_run() {
  result::Run run = empty_run();
  result::Job both = sample_job();
  both.name = "perf";
  both.engine = "nvme";
  both.thread = true;
  both.queue = sample_queue();
  result::Job soft = both;
  soft.job_number = 1;
  soft.name = "model";
  soft.queue->devices = {{"soft", "fathom soft", "S3", "F3", 4096, 1ull << 30, 0, 0, 0, 0, 0}};
  soft.queue->idle_ns = 50'000'000;
  soft.queue->split = 0;
  soft.queue->waited = 7;
  soft.queue->doorbell_cost_ns = 150;
  run.jobs = {both, soft};
  return run;
}

}  // namespace fathom::report
