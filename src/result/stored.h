// Every kind of result that a file may hold. Adding one: its struct and list (documents.h), its name here, its formats
// in report/format_rows.inc.
#pragma once
#include <variant>

#include "result/commands/bundle_check.h"
#include "result/commands/clock_sources.h"
#include "result/commands/clock_test.h"
#include "result/commands/compare.h"
#include "result/commands/doctor.h"
#include "result/commands/history.h"
#include "result/commands/nvme_fields.h"
#include "result/commands/nvme_list.h"
#include "result/commands/pmu_stat.h"
#include "result/commands/sweep.h"
#include "result/result.h"

namespace fathom::result {

using Stored = std::variant<Run, ClockTest, ClockSources, PmuStat, Doctor, NvmeList, NvmeIdentify, NvmeLog, Compare,
                            Sweep, HistoryList, HistoryCheck, BundleCheck>;

}  // namespace fathom::result
