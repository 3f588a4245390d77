// The lines of processor, memory, disks and NVMe from user space, for machines made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/doctor/sound_machine.h"

namespace fathom::audit::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DoctorMachine, SoundLinesNameWhatWasFound) {
  const auto facts = sound();
  EXPECT_EQ(line_of(facts, "frequency governor").text, "performance (CPUs 0-3)");
  EXPECT_EQ(line_of(facts, "turbo").text, "off");
  EXPECT_EQ(line_of(facts, "huge pages").text, "2 MiB: 150 of 256 free; 1 GiB: 0 of 0 free");
  EXPECT_EQ(line_of(facts, "transparent huge pages").text, "madvise");
  EXPECT_EQ(line_of(facts, "disk nvme0n1").text,
            "NVMe, 512.0 GiB, MODEL, scheduler none, not rotational, cache write back, poll queues");
  EXPECT_EQ(line_of(facts, "interrupts of nvme0n1").text, "2 queues, CPUs 0-1");
  EXPECT_EQ(line_of(facts, "IOMMU").text, "12 groups");
  EXPECT_EQ(line_of(facts, "NVMe controllers").text, "0000:01:00.0 (nvme)");
}

TEST(DoctorMachine, AGovernorThatChangesTheFrequencyIsAWarning) {
  auto facts = sound();
  facts.frequency.governors = {{"performance", {0}}, {"schedutil", {1, 2, 3}}};
  const auto line = line_of(facts, "frequency governor");
  EXPECT_EQ(line.text, "performance (CPUs 0); schedutil (CPUs 1-3)");
  EXPECT_EQ(line.severity, result::Severity::warning);
  EXPECT_THAT(line.remedy, HasSubstr("scaling_governor"));
  EXPECT_THAT(problems(facts), ElementsAre("frequency governor"));
}

TEST(DoctorMachine, AGuestShowsNoFrequency) {
  auto facts = sound();
  facts.frequency = {};
  EXPECT_THAT(problems(facts), IsEmpty());
  EXPECT_THAT(line_of(facts, "frequency governor").text, HasSubstr("none"));
  EXPECT_FALSE(has_line(facts, "turbo") || has_line(facts, "SMT"));
}

TEST(DoctorMachine, NoFreeHugePages) {
  auto facts = sound();
  facts.huge_pages = {{2 << 20, 50, 50, 50}};
  EXPECT_EQ(line_of(facts, "huge pages").text, "2 MiB: 0 of 50 free") << "all are promised to mappings";
  EXPECT_EQ(line_of(facts, "huge pages").remedy, "sudo fathom nvme setup --huge=512");
  facts.huge_pages.clear();
  EXPECT_EQ(line_of(facts, "huge pages").text, "this kernel has none");
  EXPECT_THAT(impossible(facts), IsEmpty()) << "the driver uses ordinary pages";
}

TEST(DoctorMachine, TransparentHugePagesThatAreOff) {
  auto facts = sound();
  for (const char* setting : {"never", ""}) {
    facts.thp = setting;
    EXPECT_THAT(problems(facts), ElementsAre("transparent huge pages")) << setting;
  }
}

TEST(DoctorMachine, ASchedulerCostsTimeOnFlashAndInAGuest) {
  auto facts = sound();
  facts.disks[0].facts.scheduler = "bfq";
  EXPECT_EQ(line_of(facts, "disk nvme0n1").remedy, "echo none | sudo tee /sys/block/nvme0n1/queue/scheduler");
  EXPECT_EQ(line_of(facts, "disk nvme0n1").severity, result::Severity::note);
  facts.disks[0].facts.rotational = true;
  EXPECT_THAT(problems(facts), IsEmpty()) << "it orders the I/Os of a rotating disk";
  facts.disks[0].kind = "virtio";
  EXPECT_THAT(problems(facts), ElementsAre("disk nvme0n1"));
}

TEST(DoctorMachine, ADiskWithoutCountersIsAWarning) {
  auto facts = sound();
  facts.disks.push_back(sound_disk("nvme1n1", "NVMe"));
  facts.disks[0].iostats_off = true;
  EXPECT_EQ(line_of(facts, "disk nvme0n1").severity, result::Severity::warning);
  EXPECT_THAT(line_of(facts, "disk nvme0n1").remedy, HasSubstr("nvme0n1/queue/iostats"));
  EXPECT_THAT(impossible(facts), IsEmpty()) << "the other disk has counters";
  facts.disks[1].iostats_off = true;
  EXPECT_THAT(impossible(facts), ElementsAre("bytes that reach a disk"));
  facts.disks.clear();
  EXPECT_THAT(impossible(facts), ElementsAre("bytes that reach a disk"));
  EXPECT_THAT(problems(facts), ElementsAre("disks"));
}

TEST(DoctorMachine, QueuesThatShareACpuAreAWarning) {
  auto facts = sound();
  facts.interrupts[0].queues = {{36, "nvme0q1", {2}}, {37, "nvme0q2", {2}}};
  const auto line = line_of(facts, "interrupts of nvme0n1");
  EXPECT_EQ(line.text, "2 queues, CPU 2");
  EXPECT_EQ(line.severity, result::Severity::warning);
  EXPECT_THAT(line.remedy, HasSubstr("for n in 36 37; do echo 0-3 | sudo tee /proc/irq/$n/smp_affinity_list; done"));
  facts.cpus = {2};
  EXPECT_THAT(problems(facts), IsEmpty()) << "there is one CPU";
  facts.cpus = {0, 1};
  facts.interrupts[0].queues = {{36, "virtio1-req.0", {2}}};
  EXPECT_EQ(line_of(facts, "interrupts of nvme0n1").text, "1 queue, CPU 2, which this process may not use");
  EXPECT_EQ(line_of(facts, "interrupts of nvme0n1").severity, result::Severity::note);
}

TEST(DoctorMachine, WhatADriverInUserSpaceLacks) {
  auto facts = sound();
  facts.nvme = {};
  EXPECT_THAT(problems(facts), ElementsAre("IOMMU", "vfio-pci", "NVMe controllers"));
  EXPECT_THAT(impossible(facts), ElementsAre("NVMe from user space"));
  facts.nvme.iommu_groups = 1;
  facts.nvme.controllers = {"0000:01:00.0 (no driver)"};
  EXPECT_THAT(problems(facts), ElementsAre("vfio-pci"));
  EXPECT_EQ(line_of(facts, "vfio-pci").remedy, "sudo modprobe vfio-pci");
}

TEST(DoctorMachine, ABareMachineCanMeasureNothingOfTheTable) {
  Facts bare;
  bare.rights = {.user = 1000, .capabilities = 0, .seccomp = 2, .locked_memory_bytes = 65536, .open_files = 64};
  bare.bpf.load = bare.paging_limit = bare.tracepoints = bare.io_uring.ring = {"refused", ""};
  const auto doctor = doctor_checks(bare);
  EXPECT_EQ(impossible(bare).size(), doctor.abilities.size());
  for (const auto& check : doctor.checks) {
    EXPECT_NE(check.heading, "") << check.name;
    EXPECT_TRUE(check.cost.empty() || !check.ok()) << check.name << ": a cost without help";
  }
}

}  // namespace
}  // namespace fathom::audit::doctor
