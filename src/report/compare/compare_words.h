// Texts that all formats of `fathom compare` share: the verdict in a sentence, numbers with three digits. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "result/commands/compare.h"

namespace fathom::report::compare {

std::string percent_text(double percent);                 // "+1.23", "-45.6"
std::string interval_text(const result::Change& change);  // "+1.23 to +4.56"; empty: no interval
std::string metric_text(const result::ComparedMetric& metric);
std::string value_text(double value, const std::string& unit);

// "B is faster than A", without the numbers. base: A's name, as base_name() has it.
std::string answer_text(const std::string& base, const result::Change& change);
std::string base_name(const result::Compare& compare);
std::optional<double> typical_of(const result::ComparedMetric& metric, const std::string& side);  // nullopt: no value
// True if the metric is 0 on all sides and is not the primary one.
bool is_zero(const result::ComparedMetric& metric);

// One sentence for each side except A.
std::vector<std::string> verdicts(const result::Compare& compare);
// One sentence for each side that has runs with failed checks: printed before any verdict.
std::vector<std::string> failed_checks(const result::Compare& compare);
// "rw, bs": options that make the jobs unlike; empty: the jobs are alike.
std::string unlike(const result::Compare& compare);
// The runs that the other metrics need for a verdict; empty: nothing to report.
std::string still_needed(const result::Compare& compare);
std::string side_text(const result::ComparedSide& side);  // "5 runs of 1 file"
std::string difference_text(const result::Compare& compare, const result::SetupDifference& difference);
// Breaks into lines of at most `width`, whatever the text: a path that does not fit loses its middle.
std::string fitted(const std::string& text, const std::string& indent, std::size_t width);

}  // namespace fathom::report::compare
