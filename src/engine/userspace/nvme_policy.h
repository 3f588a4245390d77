// Selects the driver's policy for a job: its options, and for the rest the fastest choice (docs/dev/performance.md).
// CPU and depth determine how a command is written.
#pragma once
#include <cstdint>
#include <string_view>

#include "io/engine_options.h"
#include "nvme/policy.h"

namespace fathom::engine::userspace {

// Used where no option selects otherwise.
inline constexpr nvme::Policy kPlainPolicy{
    .copy = nvme::SqCopy::words, .lookahead = nvme::Lookahead::next, .cq_read = nvme::CqRead::line};
inline constexpr nvme::Policy kDeepPolicy{
    .copy = nvme::SqCopy::nontemporal, .lookahead = nvme::Lookahead::next, .cq_read = nvme::CqRead::line};

bool cpu_can(nvme::SqCopy copy);
nvme::Policy choose_policy(const io::EngineOptions& options, std::uint32_t depth);
// The first option with a value that differs from both of these policies; empty: no such option.
std::string_view ablation_option(const io::EngineOptions& options);

}  // namespace fathom::engine::userspace
