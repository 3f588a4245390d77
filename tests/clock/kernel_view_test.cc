// What the kernel says of the CPU clock, on machines made of files: bare metal, KVM, Hyper-V, Xen, a closed container.
#include "clock/kernel_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "clock/verdict.h"

namespace fathom::clock {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSteadyFlags =
    "processor\t: 0\nmodel name\t: made up\nflags\t\t: fpu tsc constant_tsc nonstop_tsc pni\n";
constexpr const char* kPlainFlags = "processor\t: 0\nflags\t\t: fpu tsc constant_tsc pni\n";

struct Machine {
  const char* what;
  const char *clocksource, *available, *cpuinfo, *command_line;
  std::optional<std::string> log;
  sources::Source taken;  // by a run, where the instruction shows the flag and the cross-core test has passed
  const char* reason;     // a part of it
};

const Machine kMachines[] = {
    {"bare metal", "tsc\n", "tsc hpet acpi_pm \n", kSteadyFlags, "quiet\n", "", sources::Source::cpu, "passed"},
    {"KVM", "kvm-clock\n", "kvm-clock tsc acpi_pm \n", kSteadyFlags, "quiet\n",
     "<6>[    0.000000] tsc: Detected 2100 MHz\n", sources::Source::cpu, "clocksource is kvm-clock"},
    {"KVM, the counter not offered", "kvm-clock\n", "kvm-clock \n", kSteadyFlags,
     "quiet tsc=unstable clocksource=kvm-clock\n",
     "<6>[    0.000000] tsc: Marking TSC unstable due to boot parameter\n", sources::Source::cpu,
     "the kernel's command line has tsc=unstable"},
    {"KVM, flags hidden", "kvm-clock\n", "kvm-clock tsc \n", kPlainFlags, "\n", "", sources::Source::clock_gettime,
     "does not list constant_tsc and nonstop_tsc"},
    {"KVM, skewed", "kvm-clock\n", "kvm-clock \n", kSteadyFlags, "\n",
     "<4>[    9.1] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew "
     "is too "
     "large:\n<6>[    9.2] tsc: Marking TSC unstable due to clocksource watchdog\n<6>[ 10.0] x\n",
     sources::Source::clock_gettime, "found the CPU clock unstable in this boot: clocksource watchdog"},
    {"bare metal, out of step", "hpet\n", "hpet acpi_pm \n", kSteadyFlags, "\n",
     "[    0.5] tsc: Marking TSC unstable due to check_tsc_sync_source failed", sources::Source::clock_gettime,
     "check_tsc_sync_source failed"},
    {"bare metal, out of step, the log closed", "hpet\n", "hpet acpi_pm \n", kSteadyFlags, "\n", std::nullopt,
     sources::Source::cpu, "the kernel's log could not be read"},
    {"Hyper-V, invariant", "hyperv_clocksource_tsc_page\n", "hyperv_clocksource_tsc_page acpi_pm \n", kSteadyFlags,
     "\n", "", sources::Source::cpu, "hyperv_clocksource_tsc_page, and fathom is not tested with that clock"},
    {"Hyper-V, not invariant", "hyperv_clocksource_tsc_page\n", "hyperv_clocksource_tsc_page \n", kSteadyFlags, "\n",
     "[    0.0] tsc: Marking TSC unstable due to running on Hyper-V\n", sources::Source::clock_gettime,
     "running on Hyper-V"},
    {"Xen", "xen\n", "xen tsc \n", kSteadyFlags, "\n", "", sources::Source::cpu, "is xen, and fathom is not tested"},
    {"Xen, flags hidden", "xen\n", "xen \n", "processor\t: 0\nflags\t\t: fpu tsc\n", "\n", "",
     sources::Source::clock_gettime, "does not list"},
    {"a container that shows nothing", nullptr, nullptr, nullptr, nullptr, std::nullopt, sources::Source::cpu,
     "the kernel's clocksource could not be read, the kernel's log could not be read"},
};

#if defined(__x86_64__)
TEST(KernelView, OfMadeUpMachinesLeadsToTheirClock) {
  for (const auto& machine : kMachines) {
    std::string pattern = (fs::temp_directory_path() / "fathom-kernel-XXXXXX").string();
    const fs::path top = ::mkdtemp(pattern.data());
    const auto put = [&](const char* name, const char* text) {
      if (text != nullptr) std::ofstream(top / name) << text;
      return (top / name).string();
    };
    put("available_clocksource", machine.available);
    Fitness fitness;
    fitness.invariant = true;
    fitness.test.outcome = Outcome::passed;
    fitness.test.kind = TestKind::brief;
    fitness.kernel = kernel_view({put("current_clocksource", machine.clocksource), put("cpuinfo", machine.cpuinfo),
                                  put("cmdline", machine.command_line), [&] { return machine.log; }});
    fs::remove_all(top);
    const auto choice = choose({}, fitness);
    EXPECT_EQ(choice.source, machine.taken) << machine.what << ": " << choice.reason;
    EXPECT_THAT(choice.reason, testing::HasSubstr(machine.reason)) << machine.what;
  }
}

TEST(KernelView, AsksForTheLogOnlyWhereTheKernelUsesAnotherClock) {
  const auto path = fs::temp_directory_path() / ("fathom-clocksource-" + std::to_string(::getpid()));
  std::ofstream(path) << "tsc\n";
  int asked = 0;
  const KernelSources from{path, "/nowhere", "/nowhere", [&]() -> std::optional<std::string> { return ++asked, ""; }};
  EXPECT_TRUE(kernel_view(from).uses_counter());
  EXPECT_EQ(asked, 0);
  std::ofstream(path) << "kvm-clock\n";
  EXPECT_TRUE(kernel_view(from).log_read);
  EXPECT_EQ(asked, 1);
  fs::remove(path);
}
#endif

TEST(UnstableReason, IsTheKernelsOwnAndNotTheOperators) {
  EXPECT_EQ(unstable_reason(""), "");
  EXPECT_EQ(unstable_reason("tsc: Marking TSC unstable due to boot parameter\n"), "");
  EXPECT_EQ(unstable_reason("tsc: Marking TSC unstable due to boot parameter notsc"), "");
  EXPECT_EQ(unstable_reason("a\ntsc: Marking TSC unstable due to TSC halts in idle\nb"), "TSC halts in idle");
  EXPECT_EQ(
      unstable_reason("Marking TSC unstable due to boot parameter\nMarking TSC unstable due to clocksource watchdog"),
      "clocksource watchdog");
}

TEST(OperatorsWord, IsAWholeWordOfTheCommandLine) {
  EXPECT_EQ(operators_word("quiet tsc=unstable panic=1\n"), "tsc=unstable");
  EXPECT_EQ(operators_word("tsc=unstable"), "tsc=unstable");
  EXPECT_EQ(operators_word("notsc\n"), "notsc");
  EXPECT_EQ(operators_word("tsc=reliable xtsc=unstable tsc=unstable2\n"), "");
  EXPECT_EQ(operators_word(""), "");
}

TEST(FlagsListed, AreBothOrNotKnown) {
  EXPECT_EQ(flags_listed(kSteadyFlags), true);
  EXPECT_EQ(flags_listed(kPlainFlags), false);
  EXPECT_EQ(flags_listed("flags"), std::nullopt) << "of a page that begins in the middle";
  EXPECT_EQ(flags_listed("processor\t: 0\nFeatures\t: fp asimd\n"), std::nullopt) << "aarch64";
}

}  // namespace
}  // namespace fathom::clock
