// The cross-core test in the lines of fio's --cpuclock-test, column for column.
#include <fmt/format.h>

#include "cli/clock_test_report.h"

namespace fathom::cli {

std::string cpuclock_text(const clock::TestRun& run) {
  std::string out;
  for (const auto& c : run.findings.cpus)
    out += fmt::format("cs: cpu{:3}: {} clocks seen, first {}\n", c.cpu, c.last - c.first, c.first);
  const auto side = [&out](const clock::Entry& e) {
    out += fmt::format("\t CPU{:3}: TSC={}, SEQ={}\n", e.cpu, e.tsc, e.sequence);
  };
  for (const auto& m : run.findings.first_mismatches) {
    out += fmt::format("cs: CPU clock mismatch (diff={}):\n", m.diff());
    side(m.earlier);
    side(m.later);
  }
  switch (outcome_of(run)) {
    case clock::Outcome::passed:
      return out + "cs: Pass!\n";
    case clock::Outcome::failed:
      return out + fmt::format("cs: Failed: {}\n", run.findings.mismatches);
    case clock::Outcome::not_tested:
      break;
  }
  return out + fmt::format("cs: {}\n", words(run));
}

}  // namespace fathom::cli
