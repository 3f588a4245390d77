// What a job file or command line would do otherwise than fio, said before anything runs: options that are not built
// or refused, ignored, understood in part, and what differs from fio on purpose. The facts of that last kind stand here
// once, as rows; docs/migrate-fio.md's table is made of them.
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
  std::string remedy;  // what to write instead, or for fio's behaviour; may be empty
  std::optional<base::SourcePlace> place;
};

struct Explanation {
  bool would_run = false;
  std::vector<Difference> differences;
};

// One fact: what fio does, what fathom does, and how fio's behaviour is had.
struct OnPurpose {
  std::string_view topic, of_fio, of_fathom, as_fio;
  bool (*concerns)(const Job&);
  bool (*concerns_several)(std::span<const Job>) = nullptr;  // of those that `concerns` names
};
std::span<const OnPurpose> differs_on_purpose();

// Of an option that was written: none where it does as in fio.
std::optional<Difference> departure_of(const options::Row& option, const options::Assignment& a,
                                       std::string_view value);

// `used`: the options that were written and count for less than in fio, in order; `refusal`: of the whole text, if it
// is not understood. What differs on purpose is told of the jobs that it concerns.
Explanation explain_compat(std::vector<Difference> used, const base::Error* refusal, const JobSet& jobs);
// Of jobs that are understood: why they would fail on this machine.
void add_foreseen(Explanation& explanation, const std::vector<base::Error>& errors);
std::string explanation_text(const Explanation& explanation);
// The rows as a table of Markdown.
std::string differs_on_purpose_markdown();

}  // namespace fathom::job::values
