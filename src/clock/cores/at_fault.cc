// Finds the CPUs at fault. The disagreeing pairs form a graph. The CPU that disagrees with most others is removed,
// repeatedly, until the remaining CPUs agree. There is no answer unless these are the majority.
#include <algorithm>
#include <map>

#include "clock/cores/entries.h"

namespace fathom::clock::cores {
namespace {

// For each CPU, the CPUs that it disagrees with.
using Graph = std::map<unsigned, std::vector<unsigned>>;

Graph disagreements(std::span<const CpuSeen> cpus, std::span<const Pair> pairs) {
  Graph graph;
  for (const auto& c : cpus) graph[c.cpu];
  for (const auto& p : pairs) {
    if (p.mismatches() == 0) continue;
    graph[p.a].push_back(p.b);
    graph[p.b].push_back(p.a);
  }
  return graph;
}

void take_out(Graph& graph, unsigned cpu) {
  for (const unsigned other : graph[cpu]) std::erase(graph[other], cpu);
  graph.erase(cpu);
}

}  // namespace

std::vector<unsigned> at_fault(std::span<const CpuSeen> cpus, std::span<const Pair> pairs) {
  Graph graph = disagreements(cpus, pairs);
  std::vector<unsigned> accused;
  while (!graph.empty()) {
    const auto worst = std::max_element(graph.begin(), graph.end(),
                                        [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); });
    const std::size_t against = worst->second.size(), others = graph.size() - 1;
    if (against == 0) break;
    if (against < 2 || 2 * against <= others) return {};
    accused.push_back(worst->first);
    take_out(graph, worst->first);
  }
  if (2 * accused.size() >= cpus.size()) return {};
  std::sort(accused.begin(), accused.end());
  return accused;
}

}  // namespace fathom::clock::cores
