// The lines of permissions and limits, for processes made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

#include "audit/doctor/lines.h"
#include "audit/doctor/sound_machine.h"

namespace fathom::audit::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t bit(unsigned capability) { return std::uint64_t{1} << capability; }

Facts of_user(std::uint64_t capabilities) {
  auto facts = sound();
  facts.rights.user = 1000;
  facts.rights.capabilities = capabilities;
  return facts;
}

TEST(DoctorRights, RootHasAllCapabilities) {
  const auto line = line_of(sound(), "capabilities");
  EXPECT_EQ(line.text, "user 0, with CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF, CAP_IPC_LOCK, CAP_SYS_NICE");
  EXPECT_EQ(line.heading, "permissions");
  EXPECT_EQ(line_of(sound(), "locked memory").text, "unlimited, by CAP_IPC_LOCK");
  EXPECT_EQ(line_of(sound(), "seccomp").text, "off");
}

TEST(DoctorRights, AUserLacksThemAndLearnsTheCost) {
  const auto facts = of_user(0);
  EXPECT_THAT(problems(facts), ElementsAre("capabilities", "locked memory", "perf events"));
  const auto line = line_of(facts, "capabilities");
  EXPECT_EQ(line.text, "user 1000, without CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF, CAP_IPC_LOCK, CAP_SYS_NICE");
  EXPECT_THAT(line.cost, HasSubstr("no latency by layer (`--breakdown`)"));
  EXPECT_EQ(line.remedy, "run as root: sudo fathom ...");
  EXPECT_EQ(line.severity, result::Severity::note);
  EXPECT_THAT(impossible(facts), ElementsAre("bytes of each process", "bytes at the PCIe port"));
}

TEST(DoctorRights, RootOfAContainerIsToldTheOptionOfTheRuntime) {
  auto facts = of_user(~bit(CAP_SYS_NICE));
  facts.rights.user = 0;
  EXPECT_EQ(line_of(facts, "capabilities").text, "user 0, without CAP_SYS_NICE");
  EXPECT_THAT(line_of(facts, "capabilities").remedy, HasSubstr("--cap-add"));
}

TEST(DoctorRights, TheAdministratorNeedsNoCapabilityThatItIncludes) {
  const auto facts = of_user(bit(CAP_SYS_ADMIN) | bit(CAP_IPC_LOCK) | bit(CAP_SYS_NICE));
  EXPECT_THAT(problems(facts), IsEmpty());
}

TEST(DoctorRights, ALowLimitOnLockedMemoryOrFiles) {
  auto facts = of_user(~bit(CAP_IPC_LOCK));
  EXPECT_EQ(line_of(facts, "locked memory").text, "8 MiB (ulimit -l)");
  EXPECT_EQ(line_of(facts, "locked memory").value, 8 << 20);
  facts.rights.locked_memory_bytes = kLittleLocked_bytes;
  EXPECT_TRUE(line_of(facts, "locked memory").ok());
  facts.rights.locked_memory_bytes = host::machine::kUnlimited;
  EXPECT_EQ(line_of(facts, "locked memory").text, "unlimited");
  EXPECT_TRUE(line_of(facts, "open files").ok());
  facts.rights.open_files = 256;
  EXPECT_EQ(line_of(facts, "open files").remedy, "ulimit -n 65536");
}

TEST(DoctorRights, PerfEventsOfAUserDependOnTheSetting) {
  auto facts = of_user(bit(CAP_BPF));
  EXPECT_EQ(line_of(facts, "perf events").text,
            "kernel.perf_event_paranoid=2, kernel.kptr_restrict=1: permits events of your own tasks in user mode");
  facts.perf.paranoid = 0;
  EXPECT_THAT(impossible(facts), ElementsAre("bytes of each process")) << "a port's counter may be read";
  facts.perf.paranoid = -1;
  EXPECT_TRUE(line_of(facts, "perf events").ok());
  EXPECT_THAT(impossible(facts), IsEmpty());
  facts.perf.paranoid.reset();
  EXPECT_THAT(line_of(facts, "perf events").text, HasSubstr("perf_event_paranoid is unknown"));
  EXPECT_THAT(impossible(facts), ElementsAre("bytes of each process", "bytes at the PCIe port"));
}

TEST(DoctorRights, AnActiveFilterIsNamed) {
  auto facts = sound();
  facts.rights.seccomp = 2;
  EXPECT_EQ(line_of(facts, "seccomp").text, "mode 2: a filter may refuse system calls");
  facts.rights.seccomp.reset();
  EXPECT_EQ(line_of(facts, "seccomp").text, "unknown");
}

TEST(DoctorRights, LimitsOfTheContainer) {
  auto facts = sound();
  EXPECT_EQ(line_of(facts, "limits of cgroups").text, "no limit of CPU time, I/O or memory");
  facts.cpu_quotas = {{"cpu.max of /: 50000 100000", 0.5, 7, 1000}};
  facts.io_limits = {"io.max of /: 8:0 riops=500"};
  facts.memory_limit = {.bytes = 512 << 20, .high_bytes = 256 << 20, .group = "/pod"};
  EXPECT_EQ(line_of(facts, "limit of CPU time").text,
            "cpu.max of /: 50000 100000: 0.5 CPUs; its tasks were stopped 7 times so far");
  EXPECT_EQ(line_of(facts, "limit of CPU time").value, 0.5);
  EXPECT_THAT(line_of(facts, "limit of I/O").cost, Not(IsEmpty()));
  EXPECT_EQ(line_of(facts, "limit of memory").text, "memory.max 512 MiB, memory.high 256 MiB of /pod");
  EXPECT_EQ(line_of(facts, "limit of memory").severity, result::Severity::note);
  EXPECT_THAT(problems(facts), ElementsAre("limit of CPU time", "limit of I/O", "limit of memory"));
  EXPECT_FALSE(has_line(facts, "limits of cgroups"));
}

TEST(DoctorRights, ALimitForPagingThatCannotBeMade) {
  auto facts = sound();
  facts.paging_limit = {"no memory controller", ""};
  EXPECT_THAT(impossible(facts), ElementsAre("page faults in limited memory"));
  EXPECT_THAT(line_of(facts, "cgroup for paging").remedy, HasSubstr("sudo"));
}

TEST(DoctorRights, WhatKilledRunsLeft) {
  auto facts = sound();
  EXPECT_EQ(line_of(facts, "left by killed runs").text, "nothing");
  facts.left_by_killed = {"process 4711 was killed"};
  EXPECT_EQ(line_of(facts, "left by killed runs").remedy, "fathom paging cleanup");
  facts.left_by_killed.clear();
  facts.left_by_killed_unknown = "a directory of root";
  EXPECT_EQ(line_of(facts, "left by killed runs").text, "not known: a directory of root");
}

}  // namespace
}  // namespace fathom::audit::doctor
