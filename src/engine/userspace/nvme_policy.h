// Which policy of the driver a job gets: what it asked for, and for the rest what was fastest (docs/dev/performance.md):
// the way a command is written by CPU and depth.
#pragma once
#include <cstdint>
#include <string_view>

#include "io/engine_options.h"
#include "nvme/policy.h"

namespace fathom::engine::userspace {

// What is used unless something else is asked for.
inline constexpr nvme::Policy kPlainPolicy{
    .copy = nvme::SqCopy::words, .lookahead = nvme::Lookahead::next, .cq_read = nvme::CqRead::line};
inline constexpr nvme::Policy kDeepPolicy{
    .copy = nvme::SqCopy::nontemporal, .lookahead = nvme::Lookahead::next, .cq_read = nvme::CqRead::line};

bool cpu_can(nvme::SqCopy copy);
nvme::Policy choose_policy(const io::EngineOptions& options, std::uint32_t depth);
// The first option that leads away from both of these; empty: none does.
std::string_view ablation_option(const io::EngineOptions& options);

}  // namespace fathom::engine::userspace
