// The rows of the job options (options/row.h). Parser, help, man page, docs/compat.md, job echo and fuzz dictionary all
// come from these; to add an option is to add a row to one of the options_*.cc files.
#pragma once
#include <span>
#include <string_view>

#include "job/draft.h"
#include "options/rows.h"

namespace fathom::job {

inline constexpr std::string_view kOwn = "fathom's own";  // the note of an option that fio does not have

// All groups, in the order of the documentation.
std::span<const Group> option_groups();
// nullptr: not an option of fathom.
const Row* find_option(std::string_view name);

// The groups, one file each.
std::span<const Row> description_options();
std::span<const Row> target_options();
std::span<const Row> io_options();
std::span<const Row> block_options();
std::span<const Row> depth_options();
std::span<const Row> time_options();
std::span<const Row> rate_options();
std::span<const Row> process_options();
std::span<const Row> verify_options();
std::span<const Row> measure_options();
std::span<const Row> engine_options();
std::span<const Row> nvme_options();
std::span<const Row> accepted_options();

}  // namespace fathom::job
