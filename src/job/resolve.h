// The end of a section: what depends on several options is decided and checked.
#pragma once
#include "job/command.h"
#include "job/draft.h"

namespace fathom::job {

// An error at the option that caused it, or at the job's name if that is a default.
base::Error error_for(const Draft& draft, const Assignment& section, std::string_view option, std::string what,
                      std::string cause, std::string help);

// `section` is where the job's name stands.
base::Expected<void> resolve(Draft& draft, const Assignment& section, const Environment& env);

}  // namespace fathom::job
