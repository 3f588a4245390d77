// The facts that a reader needs first, in six lines: what was measured, how fast it was, how certain that is, whether
// its checks passed, the worst finding, and what to do next. No line is longer than `columns`: the checks with their
// reason, the finding and the next step continue on the next line; the other lines are cut.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "result/result.h"
#include "result/sums/checks.h"

namespace fathom::report::headline {

// Names are printed as in the result: use that of parts::shown(). Empty for a run that measured nothing.
inline constexpr std::size_t kUsualColumns = 80;
// repetitions: the run's own, which parts::shown() omits; the intervals for sums of several jobs come from them.
std::string verdict(const result::Run& run, std::size_t columns = kUsualColumns,
                    std::span<const result::Run> repetitions = {});

// The same facts in pieces, for a page that shows them large. Texts as in the lines.
struct LargeNumber {
  std::string name, value;  // "p99 from the intended start", "118 us"
};
struct NumbersOf {
  std::string of;                    // "read", "job write", "accesses"
  std::vector<LargeNumber> numbers;  // only what is known
  std::string interval;              // of repetitions; empty: of one run
};
struct Pieces {
  std::string measured;  // "randread, 4 KiB, io_uring, 10 s"
  std::vector<NumbersOf> numbers;
  std::size_t more = 0;  // rows that `numbers` omits
  result::sums::Outcome outcome = result::sums::Outcome::passed;
  std::string checks, reasons;           // "2 warnings", "delivery 2; bytes agree"
  std::string word, evidence, id, next;  // of the worst finding: "warning", ...; empty: none
};
// nullopt where verdict() is empty.
std::optional<Pieces> pieces(const result::Run& run, std::span<const result::Run> repetitions = {});

}  // namespace fathom::report::headline
