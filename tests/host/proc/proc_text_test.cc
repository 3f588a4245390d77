// Parsers of /proc and /sys text on captured samples.
#include "host/proc/proc_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "host/proc/hypervisor.h"
#include "host/temp_tree.h"

namespace fathom::host::proc {
namespace {

constexpr const char* kCpuInfo =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC 9B45\n"
    "flags\t\t: fpu vme rdrand hypervisor lahf_lm\n\nprocessor\t: 1\nmodel name\t: other\n";
constexpr const char* kArmCpuInfo = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU part\t: 0xd40\n";

TEST(CpuInfo, ModelIsOfTheFirstProcessor) { EXPECT_EQ(cpu_model(kCpuInfo), "AMD EPYC 9B45"); }
TEST(CpuInfo, MissingModelIsEmpty) { EXPECT_EQ(cpu_model(kArmCpuInfo), ""); }
TEST(CpuInfo, OldArmKernelsNameTheProcessor) { EXPECT_EQ(cpu_model("Processor\t: ARMv7 rev 1\n"), "ARMv7 rev 1"); }
TEST(CpuInfo, FlagsAreWholeWords) {
  EXPECT_TRUE(cpu_has_flag(kCpuInfo, "hypervisor"));
  EXPECT_FALSE(cpu_has_flag(kCpuInfo, "hyper"));
  EXPECT_FALSE(cpu_has_flag(kArmCpuInfo, "hypervisor"));
}

TEST(MemInfo, KibibytesBecomeBytes) {
  EXPECT_EQ(meminfo_bytes("MemTotal:       49369756 kB\nMemFree:  1 kB\n", "MemTotal"), 49369756ull * 1024);
  EXPECT_EQ(meminfo_bytes("MemFree: 1 kB\n", "MemTotal"), 0u);
}

TEST(OsRelease, ValuesAreUnquoted) {
  const char* text = "NAME=\"Debian GNU/Linux\"\nID=debian\nPRETTY_NAME=\"A \\\"b\\\" $x=1\"\nEMPTY=\n";
  EXPECT_EQ(os_release_value(text, "NAME"), "Debian GNU/Linux");
  EXPECT_EQ(os_release_value(text, "ID"), "debian");
  EXPECT_EQ(os_release_value(text, "PRETTY_NAME"), "A \"b\" $x=1");
  EXPECT_EQ(os_release_value(text, "EMPTY"), "");
  EXPECT_EQ(os_release_value(text, "VERSION"), "");
}

TEST(ChosenOption, IsTheBracketedOne) {
  EXPECT_EQ(chosen("[none] mq-deadline"), "none");
  EXPECT_EQ(chosen("none mq-deadline [kyber]"), "kyber");
  EXPECT_EQ(chosen("none"), "none");
  EXPECT_EQ(chosen(""), "");
  EXPECT_EQ(chosen("]["), "][");
}

TEST(CpuTimes, IdleAndIoWaitAreNotBusyAndGuestIsNotCountedTwice) {
  //                                     user nice sys idle iowait irq softirq steal guest guest_nice
  const auto t = parse_cpu_times("cpu  100 10 20 1000 50 3 4 5 90 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  EXPECT_EQ(t.stolen, 5u);
  EXPECT_EQ(t.busy, 100u + 10 + 20 + 3 + 4 + 5);
  EXPECT_EQ(t.total, t.busy + 1000 + 50);
}

TEST(CpuTimes, ReadsTheFourColumnsOfOldKernels) {
  const auto t = parse_cpu_times("cpu 1 2 3 4\n");
  EXPECT_EQ(t.busy, 6u);
  EXPECT_EQ(t.total, 10u);
  EXPECT_EQ(parse_cpu_times("intr 5\n").total, 0u);
}

TEST(SplitLines, KeepsEveryLineAndWord) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    std::string joined;
    for (const auto line : split_lines(text)) joined.append(line).append("\n");
    RC_ASSERT(joined == text + (text.empty() || text.back() == '\n' ? "" : "\n"));
    std::string letters, from_words;
    for (const char c : text)
      letters += std::string_view(" \t\r\n").find(c) == std::string_view::npos ? std::string(1, c) : "";
    for (const auto word : split_fields(text)) from_words += word;
    RC_ASSERT(from_words == letters);
  }));
}

TEST(Hypervisor, KnownCpuidSignaturesHavePlainNames) {
  EXPECT_EQ(hypervisor_name("KVMKVMKVM"), "kvm");
  EXPECT_EQ(hypervisor_name("Microsoft Hv"), "hyper-v");
  EXPECT_EQ(hypervisor_name("NewVisor"), "NewVisor");
}

TEST(Hypervisor, XenIsReadFromSysfs) {
  const testing::TempTree tree;
  tree.file("/sys/hypervisor/type", "xen\n");
  EXPECT_EQ(find_hypervisor("flags : fpu\n", tree.root()), "xen");
}

TEST(Hypervisor, AnX86WithoutTheHypervisorFlagIsBareMetal) {
  const testing::TempTree tree;
  tree.file("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  EXPECT_EQ(find_hypervisor("flags : fpu\n", tree.root()), "");
}

TEST(Hypervisor, OtherProcessorsAreJudgedByDmi) {
  const testing::TempTree tree;
  tree.file("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  tree.file("/sys/class/dmi/id/product_name", "m7g.large\n");
  EXPECT_EQ(find_hypervisor(kArmCpuInfo, tree.root()), "amazon ec2");
  tree.file("/sys/class/dmi/id/product_name", "m7g.metal\n");
  EXPECT_EQ(find_hypervisor(kArmCpuInfo, tree.root()), "");
}

}  // namespace
}  // namespace fathom::host::proc
