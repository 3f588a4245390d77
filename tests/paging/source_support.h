// Plays a source for a test.
#pragma once
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "paging/sources/access_source.h"

namespace fathom::paging {

inline PatternPlan plan_of(const std::string& name) {
  PatternPlan plan;
  plan.name = name;
  return plan;
}

inline std::unique_ptr<sources::AccessSource> make(const PatternPlan& plan, std::uint64_t pages, unsigned worker = 0,
                                                   unsigned workers = 1) {
  auto made = sources::make_source(plan, pages * 4096, worker, workers);
  if (made) return std::move(*made);
  throw std::runtime_error(made.error().what + ": " + made.error().cause);
}

using Block = std::array<sources::Access, sources::kAccessBlock>;

inline std::vector<sources::Access> play(sources::AccessSource& source, std::size_t blocks,
                                         std::uint64_t elapsed_ns = 0) {
  std::vector<sources::Access> all;
  Block block;
  for (std::size_t i = 0; i < blocks; ++i) {
    source.refill(block, elapsed_ns);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}
inline std::vector<sources::Access> play(const PatternPlan& plan, std::uint64_t pages, std::size_t blocks) {
  return play(*make(plan, pages), blocks);
}

// How often each page of the set came up.
inline std::vector<double> page_counts(sources::AccessSource& source, std::uint64_t pages, std::size_t accesses,
                                       std::uint64_t elapsed_ns = 0) {
  std::vector<double> counts(pages);
  Block block;
  for (std::size_t i = 0; i < accesses; i += sources::kAccessBlock) {
    source.refill(block, elapsed_ns);
    for (const sources::Access access : block) ++counts.at(access.offset_bytes() / 4096);
  }
  return counts;
}
inline std::vector<double> page_counts(const PatternPlan& plan, std::uint64_t pages, std::size_t accesses) {
  return page_counts(*make(plan, pages), pages, accesses);
}

}  // namespace fathom::paging
