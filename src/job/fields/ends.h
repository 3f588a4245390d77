// exitall=, exitall_on_error, exit_what=: which jobs end when one ends.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

enum class ExitWhat : std::uint8_t { group, stonewall, all };

struct Ends : OfJob {
  bool on_error = false;  // exitall_on_error: an error of this job ends others
  ExitWhat what = ExitWhat::group;
};

}  // namespace fathom::job::fields
