// The working set is a share of size=, in blocks of one file.
#include "job/resolve_contents.h"

#include <fmt/format.h>

#include "job/contents.h"
#include "job/resolve.h"

namespace fathom::job {

base::Expected<void> resolve_contents(Draft& draft, const Assignment& section) {
  const auto& contents = draft.job.of<ContentOptions>();
  if (contents.dedupe_percent == 0 || contents.dedupe_mode != DedupeMode::working_set) return {};
  if (!draft.job.size.set)
    return error_for(draft, section, "dedupe_mode",
                     "dedupe_mode=working_set needs size=", "the working set is a share of it",
                     "add size=, for example size=1g");
  if (draft.job.nrfiles > 1)
    return error_for(draft, section, "dedupe_mode", "dedupe_mode=working_set is for jobs of one file",
                     fmt::format("this one has {}", draft.job.nrfiles), "write a job for each file");
  if (contents.dedupe_percent + contents.working_set_percent > 100)
    return error_for(draft, section, "dedupe_working_set_percentage",
                     fmt::format("dedupe_percentage={} and dedupe_working_set_percentage={} are more than 100",
                                 contents.dedupe_percent, contents.working_set_percent),
                     "what is new has to fill the working set", "lower one of them");
  return {};
}

}  // namespace fathom::job
