// The rows of the job options (options/row.h). Parser, help, man page, docs/reference/fio-options.md, job echo and fuzz
// dictionary all come from these. To add an option, add a row to one of the options_*.cc files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/option_table.h"
#include "job/draft.h"
#include "options/rows.h"

namespace fathom::job {

using io::kOwn;

inline constexpr std::uint64_t kMicrosecond_ns = 1000, kMillisecond_ns = 1'000'000, kSecond_ns = 1'000'000'000;

// Supported options, in the order of the documentation; options_not_built() has fio's others.
std::span<const Group> option_groups();
std::span<const Group> all_options();  // both
// Searches both, by name or alias; nullptr: neither fathom nor fio has the option.
const Row* find_option(std::string_view name);
inline bool is_built(const Row* option) { return option && option->texts.status != Status::not_built; }
// "did you mean `bs`?" with `before` in front of the name; `otherwise`: no job option has a similar name.
std::string suggest_option(std::string_view written, std::string_view otherwise, std::string_view before = {});

// The groups, one per file.
std::span<const Row> description_options();
std::span<const Row> target_options();
std::span<const Row> io_options();
std::span<const Row> content_options();
std::span<const Row> block_options();
std::span<const Row> offset_options();
std::span<const Row> zone_options();
std::span<const Row> depth_options();
std::span<const Row> time_options();
std::span<const Row> rate_options();
std::span<const Row> process_options();
std::span<const Row> machine_options();
std::span<const Row> errors_options();
std::span<const Row> control_options();
std::span<const Row> verify_options();
std::span<const Row> measure_options();
std::span<const Row> log_options();
std::span<const Row> replay_options();
std::span<const Row> profile_options();
std::span<const Row> options_not_built();
// Engine options: the tables named in the engines' rows, each row with the engines that have it.
std::span<const Group> engine_options();
// Checks the combination of the job's engine options (io::Settle).
Outcome settle_engine_options(Job& job);
// Changes the seed of the engine's random values, for a repetition (io::Reseed).
void reseed_engine(Job& job, std::uint64_t number);

}  // namespace fathom::job
