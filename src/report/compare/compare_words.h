// What the formats of `fathom compare` say alike: the verdict in a sentence, numbers with three digits. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "result/commands/compare.h"

namespace fathom::report::compare {

std::string percent_text(double percent);                 // "+1.23", "-45.6"
std::string interval_text(const result::Change& change);  // "+1.23 to +4.56"; empty: there is none
std::string metric_text(const result::ComparedMetric& metric);
std::string value_text(double value, const std::string& unit);

// One sentence for each side but A.
std::vector<std::string> verdicts(const result::Compare& compare);
// Of sides with runs whose checks failed, a sentence each: before any verdict.
std::vector<std::string> failed_checks(const result::Compare& compare);
// "rw, bs": what makes the jobs unlike; empty: nothing.
std::string unlike(const result::Compare& compare);
// Runs that would tell what is not told of the other metrics; empty: nothing is to be said.
std::string still_needed(const result::Compare& compare);
std::string side_text(const result::ComparedSide& side);  // "5 runs of 1 file"
std::string difference_text(const result::Compare& compare, const result::SetupDifference& difference);
// Into lines that are no wider than that, whatever is in them: a path that does not fit loses its middle.
std::string fitted(const std::string& text, const std::string& indent, std::size_t width);

}  // namespace fathom::report::compare
