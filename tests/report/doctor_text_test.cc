// The text of `fathom doctor`: the table of abilities, headings, cost and help; and of a file from before they existed.
#include <gtest/gtest.h>

#include "report/formats.h"

namespace fathom::report {
namespace {

result::Doctor doctor_of(std::vector<result::DoctorAbility> abilities, std::vector<result::DoctorCheck> checks) {
  return {"fathom 1", std::move(abilities), std::move(checks)};
}

TEST(DoctorText, HasAbilitiesHeadingsCostAndHelp) {
  result::DoctorCheck clock{"clock of a run", "cpu", {}, "", ""}, bpf{"BPF programs", "refused", {}, "", "run as root"};
  clock.heading = "clock";
  bpf.heading = "counters";
  bpf.cost = "no breakdown";
  bpf.severity = result::Severity::note;
  EXPECT_EQ(doctor_text(doctor_of({{"latency", ""}, {"layers", "BPF programs: refused"}}, {clock, bpf})),
            "fathom 1\n"
            "\n"
            "can measure\n"
            "  yes      latency\n"
            "  no       layers\n"
            "           because BPF programs: refused\n"
            "\n"
            "clock\n"
            "  ok       clock of a run  cpu\n"
            "\n"
            "counters\n"
            "  note     BPF programs    refused\n"
            "           cost: no breakdown\n"
            "           help: run as root\n");
}

TEST(DoctorText, OfAnOlderFileIsItsLines) {
  const result::DoctorCheck good{"a", "b", {}, "", ""}, bad{"c", "d", {}, "", "e"};
  EXPECT_EQ(doctor_text(doctor_of({}, {good, bad})),
            "fathom 1\n  ok       a  b\n  warning  c  d\n           help: e\n");
}

TEST(DoctorText, NamesFromOutsideStayInTheirLine) {
  const result::DoctorCheck disk{"disk \x1b[1m", "model\nX", {}, "", ""};
  EXPECT_EQ(doctor_text(doctor_of({}, {disk})), "fathom 1\n  ok       disk \\x1b[1m  model\\nX\n");
}

}  // namespace
}  // namespace fathom::report
