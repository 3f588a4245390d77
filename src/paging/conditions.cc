// One row per option: whether it was requested, and how its value is written.
#include "paging/conditions.h"

#include <fmt/format.h>

#include "base/text/unit_text.h"
#include "paging/sources/profile.h"
#include "result/findings/rows.h"

namespace fathom::paging {
namespace {

std::string thp_text(Thp thp) {
  constexpr const char* kNames[] = {"system", "always", "never"};
  return kNames[static_cast<int>(thp)];
}

struct Row {
  const char* option;
  bool (*asked)(const Plan& p);
  std::string (*value)(const Plan& p);
};
// "0,1" for all processes, "0:1,2" for the processes in turn.
std::string nodes_text(const Plan& p) {
  std::string text;
  for (const auto& nodes : p.process_nodes) text += fmt::format("{}{}", text.empty() ? "" : ":", fmt::join(nodes, ","));
  return p.process_nodes.empty() ? fmt::format("{}", fmt::join(p.region.memory_nodes, ",")) : text;
}

std::string nothing(const Plan&) { return {}; }
bool is_hot(const Plan& p) { return p.pattern.name == "hot"; }

constexpr Row kRows[] = {
    {"hot-access", is_hot, [](const Plan& p) { return fmt::format("{:g}", p.pattern.hot_access_percent); }},
    {"hot-set", is_hot, [](const Plan& p) { return fmt::format("{:g}", p.pattern.hot_set_percent); }},
    {"hot-move", [](const Plan& p) { return is_hot(p) && p.pattern.hot_move_s > 0; },
     [](const Plan& p) { return base::text::unit_text(p.pattern.hot_move_s, base::text::kSeconds); }},
    {"permute", [](const Plan& p) { return p.pattern.permute; }, nothing},
    {"pattern", [](const Plan& p) { return !p.pattern.file.empty(); },
     [](const Plan& p) { return p.pattern.name + ":" + p.pattern.file; }},
    {"trace-loop", [](const Plan& p) { return p.pattern.name == "trace" && p.pattern.trace_loop; }, nothing},
    {"load-before-store", [](const Plan& p) { return p.touch.load_before_store; }, nothing},
    {"accesses", [](const Plan& p) { return p.touch.max_accesses > 0; },
     [](const Plan& p) { return fmt::format("{}", p.touch.max_accesses); }},
    {"slow-above", [](const Plan& p) { return p.touch.slow_above_ns > 0; },
     [](const Plan& p) { return fmt::format("{}ns", p.touch.slow_above_ns); }},
    {"mark-above", [](const Plan& p) { return p.touch.mark_above_ns > 0; },
     [](const Plan& p) { return fmt::format("{}ns", p.touch.mark_above_ns); }},
    {"fill-map", [](const Plan& p) { return p.region.touched_bytes() != p.region.set_bytes; }, nothing},
    {"thp", [](const Plan& p) { return p.region.thp != Thp::system; },
     [](const Plan& p) { return thp_text(p.region.thp); }},
    {"madvise", [](const Plan& p) { return !p.region.advice.empty(); },
     [](const Plan& p) { return fmt::format("{}", fmt::join(p.region.advice, ",")); }},
    {"membind", [](const Plan& p) { return !p.region.memory_nodes.empty() || !p.process_nodes.empty(); }, nodes_text},
    {"initial-node", [](const Plan& p) { return p.region.initial_node >= 0; },
     [](const Plan& p) { return fmt::format("{}", p.region.initial_node); }},
};

}  // namespace

std::vector<std::pair<std::string, std::string>> conditions_of(const Plan& plan) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& row : kRows)
    if (row.asked(plan)) out.emplace_back(row.option, row.value(plan));
  return out;
}

std::string fill_text(const RegionPlan& region) {
  if (region.fill == Fill::compressible) return fmt::format("compressible:{:g}", region.fill_percent);
  return name(region.fill);
}

std::vector<result::Finding> judge_profile(const sources::PatternFacts& facts, std::uint64_t set_bytes) {
  constexpr std::uint64_t kPage_bytes = 4096;
  const std::uint64_t learnt = facts.profile_bytes / kPage_bytes, pages = set_bytes / kPage_bytes;
  std::vector<result::Finding> out;
  if (facts.profile_bytes == 0) return out;
  if (learnt > pages)
    out.push_back(result::findings::found(
        "paging.profile_clipped",
        {.values = {{"profile_pages", learnt}, {"set_pages", pages}, {"profile_kib", learnt * 4}}}));
  if (!sources::exponent_is_known(facts.profile_theta, facts.profile_error))
    out.push_back(result::findings::found(
        "paging.profile_theta", {.variant = facts.profile_theta < 0 ? "unknown" : "",
                                 .values = {{"theta", facts.profile_theta}, {"error", facts.profile_error}}}));
  return out;
}

}  // namespace fathom::paging
