// The lines of counters, traces and io_uring, for kernels made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "audit/doctor/sound_machine.h"

namespace fathom::audit::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DoctorKernel, SoundLinesNameWhatWasFound) {
  const auto facts = sound();
  EXPECT_EQ(line_of(facts, "processor events").text, "cycles are counted (cpu)");
  EXPECT_EQ(line_of(facts, "PCIe counters").text, "pcie_bdf_200 (4 root ports)");
  EXPECT_EQ(line_of(facts, "BPF programs").text, "loaded, with the kernel's BTF; kernel.unprivileged_bpf_disabled=2");
  EXPECT_EQ(line_of(facts, "tracepoints").text, "tracefs is readable");
  EXPECT_EQ(line_of(facts, "io_uring rings").text, "a ring was set up; kernel.io_uring_disabled=0");
}

TEST(DoctorKernel, AGuestHasNoPmu) {
  auto facts = sound();
  facts.perf.core_pmus.clear();
  facts.perf.pcie_pmus.clear();
  facts.perf.root_ports = 1;
  EXPECT_THAT(problems(facts), ElementsAre("processor events", "PCIe counters"));
  EXPECT_THAT(impossible(facts), ElementsAre("bytes at the PCIe port", "events of the processor"));
  EXPECT_EQ(line_of(facts, "PCIe counters").text, "no PMU counts the bytes of a port (1 root port)");
}

TEST(DoctorKernel, ARefusedEventHasItsCauseAndHelp) {
  auto facts = sound();
  facts.perf.cycles = {"open event `cycles:u`: Permission denied", "set kernel.perf_event_paranoid"};
  EXPECT_EQ(line_of(facts, "processor events").text, facts.perf.cycles.refusal);
  EXPECT_EQ(line_of(facts, "processor events").remedy, facts.perf.cycles.help);
  EXPECT_THAT(impossible(facts), ElementsAre("events of the processor"));
}

TEST(DoctorKernel, BpfProgramsThatCannotBeLoadedPreventTheBreakdown) {
  auto facts = sound();
  facts.bpf.load = {"load BPF programs: Operation not permitted", ""};
  EXPECT_THAT(line_of(facts, "BPF programs").text, HasSubstr("not permitted; kernel.unprivileged_bpf_disabled=2"));
  EXPECT_THAT(line_of(facts, "BPF programs").remedy, HasSubstr("setcap cap_bpf,cap_perfmon+ep"));
  EXPECT_THAT(impossible(facts), ElementsAre("latency by layer"));
  facts.bpf.load.help = "install libbpf1";
  EXPECT_EQ(line_of(facts, "BPF programs").remedy, "install libbpf1");
}

TEST(DoctorKernel, ClassicTracepointsGiveFewerParts) {
  auto facts = sound();
  facts.bpf.classic = true;
  EXPECT_THAT(problems(facts), ElementsAre("BPF programs"));
  EXPECT_THAT(impossible(facts), IsEmpty());
}

TEST(DoctorKernel, HiddenTracefsPreventsTraces) {
  auto facts = sound();
  facts.tracepoints = {"tracefs belongs to root", "run as root"};
  EXPECT_THAT(impossible(facts), ElementsAre("bytes of each process"));
  EXPECT_EQ(line_of(facts, "tracepoints").remedy, "run as root");
}

struct RingRefusal {
  const char* name;
  int error;
  std::optional<std::int64_t> disabled;
  std::uint64_t seccomp;
  const char* help;
};
class DoctorRing : public ::testing::TestWithParam<RingRefusal> {};

TEST_P(DoctorRing, HelpFollowsFromTheCause) {
  const auto& refusal = GetParam();
  auto facts = sound();
  facts.io_uring.ring = {"cannot set up a ring", "raise `ulimit -l`, or lower iodepth"};
  facts.io_uring.error = refusal.error;
  facts.io_uring.disabled = refusal.disabled;
  facts.rights.seccomp = refusal.seccomp;
  EXPECT_THAT(problems(facts), ElementsAre("io_uring rings"));
  EXPECT_THAT(impossible(facts), ElementsAre("I/O through io_uring"));
  EXPECT_THAT(line_of(facts, "io_uring rings").remedy, HasSubstr(refusal.help));
}
INSTANTIATE_TEST_SUITE_P(All, DoctorRing,
                         ::testing::Values(RingRefusal{"setting", EPERM, 2, 0, "sysctl kernel.io_uring_disabled=0"},
                                           RingRefusal{"container", EPERM, 0, 2, "seccomp profile"},
                                           RingRefusal{"not_built", ENOSYS, std::nullopt, 0, "CONFIG_IO_URING"},
                                           RingRefusal{"memory", ENOMEM, 0, 2, "ulimit -l"}),
                         [](const auto& i) { return i.param.name; });

TEST(DoctorKernel, AnOlderKernelLacksFeaturesOfIoUring) {
  auto facts = sound();
  facts.io_uring.missing = {"the kernel refused IORING_SETUP_COOP_TASKRUN"};
  EXPECT_THAT(problems(facts), ElementsAre("io_uring rings"));
  EXPECT_THAT(impossible(facts), IsEmpty());
}

}  // namespace
}  // namespace fathom::audit::doctor
