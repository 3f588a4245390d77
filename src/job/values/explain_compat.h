// Differences from fio in a job file or command line, reported before the run: options that are not supported, refused,
// ignored or partly supported, and intended differences. The facts about intended differences are here once, as rows;
// docs/migrate-fio.md's table is generated from them.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "job/job.h"
#include "options/row.h"

namespace fathom::job::values {

enum class Departure : std::uint8_t { refused, no_room, not_built, ignored, partial, on_purpose };

struct Difference {
  Departure kind = Departure::refused;
  std::string what;    // "nice=5", or a line of text
  std::string why;     // may be empty
  std::string remedy;  // what to write instead, or to get fio's behavior; may be empty
  std::optional<base::SourcePlace> place;
};

struct Explanation {
  bool would_run = false;
  std::vector<Difference> differences;
};

// One fact: fio's behavior, fathom's behavior, and how to get fio's.
struct OnPurpose {
  std::string_view topic, of_fio, of_fathom, as_fio;
  bool (*concerns)(const Job&);
  bool (*concerns_several)(std::span<const Job>) = nullptr;  // of the jobs that `concerns` selects
};
std::span<const OnPurpose> differs_on_purpose();

// For a written option; nullopt: it behaves as in fio.
std::optional<Difference> departure_of(const options::Row& option, const options::Assignment& a,
                                       std::string_view value);

// `used`: written options with less effect than in fio, in order. `refusal`: the error of the whole text, if parsing
// failed. Intended differences are reported for the jobs that they concern.
Explanation explain_compat(std::vector<Difference> used, const base::Error* refusal, const JobSet& jobs);
// For parsed jobs: adds the reasons why they would fail on this machine.
void add_foreseen(Explanation& explanation, const std::vector<base::Error>& errors);
std::string explanation_text(const Explanation& explanation);
// The rows as a Markdown table.
std::string differs_on_purpose_markdown();

}  // namespace fathom::job::values
