// Binding to nodes, and a sample of evenly spaced pages. So one call is sufficient for a region of a tebibyte.
#include "paging/memory/numa.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>

#include "base/system/numa.h"
#include "paging/memory/region.h"
#include "result/findings/rows.h"

namespace fathom::paging::memory {
namespace {

constexpr double kPlacedShare = 0.95;

constexpr int mode_of(Placement placement) {
  constexpr int modes[] = {MPOL_BIND, MPOL_PREFERRED, MPOL_DEFAULT};
  return modes[static_cast<int>(placement)];
}

}  // namespace

int place(std::byte* data, std::uint64_t bytes, Placement placement, const std::vector<int>& nodes) {
  const auto mask = base::system::node_mask(nodes);
  if (!mask) return EINVAL;
  const bool lift = placement == Placement::lift;
  const long done = ::syscall(SYS_mbind, data, bytes, mode_of(placement), lift ? nullptr : mask->data(),
                              lift ? 0ul : base::system::kMostNodes + 1ul, 0u);
  return done == 0 ? 0 : errno;
}

std::vector<std::pair<int, std::uint64_t>> pages_by_node(const std::byte* data, std::uint64_t bytes, std::size_t most) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t pages = bytes / page, taken = std::min<std::uint64_t>(pages, most);
  std::vector<void*> addresses(taken);
  for (std::uint64_t i = 0; i < taken; ++i) {
    const auto number = static_cast<std::uint64_t>(static_cast<unsigned __int128>(i) * pages / taken);
    addresses[i] = const_cast<std::byte*>(data) + number * page;  // move_pages without a target changes nothing
  }
  std::vector<int> where(taken, -ENOENT);
  if (::syscall(SYS_move_pages, 0, taken, addresses.data(), nullptr, where.data(), 0) != 0) return {};
  std::map<int, std::uint64_t> counts;
  for (const int node : where) ++counts[std::max(node, -1)];
  return {counts.begin(), counts.end()};
}

std::vector<result::Finding> placement_findings(const RegionPlan& plan,
                                                const std::vector<std::pair<int, std::uint64_t>>& by_node) {
  const bool initial = plan.initial_node >= 0;
  const std::vector<int> asked = initial ? std::vector{plan.initial_node} : plan.memory_nodes;
  if (asked.empty() || by_node.empty()) return {};
  std::uint64_t resident = 0, placed = 0;
  std::string counts;
  for (const auto& [node, pages] : by_node) {
    counts += (counts.empty() ? "" : ", ") + (node < 0 ? "not in memory" : "node " + std::to_string(node)) + ": " +
              std::to_string(pages);
    if (node < 0) continue;
    resident += pages;
    if (std::find(asked.begin(), asked.end(), node) != asked.end()) placed += pages;
  }
  if (resident == 0) return {};
  const bool good = static_cast<double>(placed) >= kPlacedShare * static_cast<double>(resident);
  const std::string what =
      (initial ? "placed at first on node " : "bound to node ") + fmt::format("{}", fmt::join(asked, ","));
  return {result::findings::found(
      "paging.placement",
      {.variant = good ? "" : "elsewhere",
       .values = {{"asked", what}, {"placed_pages", placed}, {"resident_pages", resident}, {"by_node", counts}}})};
}

}  // namespace fathom::paging::memory
