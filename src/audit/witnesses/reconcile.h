// The audit: compares the engines' byte counts with all other counters. Each difference is within the tolerance for
// the edges of the measured interval, explained by a term with its arithmetic, or a disagreement.
// Pure; one file per cross-check. docs/reference/audit.md lists what each can and cannot see. Thread-safe.
#pragma once
#include <vector>

#include "audit/witnesses/facts.h"
#include "result/audit.h"
#include "result/result.h"

namespace fathom::audit::witnesses {

result::Audit reconcile(const result::Run& run, const std::vector<result::Count>& counts, const Facts& facts);

}  // namespace fathom::audit::witnesses
