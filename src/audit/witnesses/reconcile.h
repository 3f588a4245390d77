// The audit: what the engines say they moved, held against everybody else who counted it. Every difference is either
// within what the windows' edges may hide, explained by a term with its arithmetic, or a disagreement. Pure; one file a
// witness. docs/reference/audit.md says what each can and cannot see. Thread-safe.
#pragma once
#include <vector>

#include "audit/witnesses/facts.h"
#include "result/audit.h"
#include "result/result.h"

namespace fathom::audit::witnesses {

result::Audit reconcile(const result::Run& run, const std::vector<result::Count>& counts, const Facts& facts);

}  // namespace fathom::audit::witnesses
