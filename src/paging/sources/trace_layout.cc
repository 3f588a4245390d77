// The scan keeps one number per page, not one per access. It sorts and removes duplicates whenever the list has
// doubled.
#include "paging/sources/trace_layout.h"

#include <algorithm>
#include <mutex>

#include "paging/sources/trace_file.h"

namespace fathom::paging::sources {
namespace {

void sort_once(std::vector<std::uint64_t>& pages) {
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
}

base::Expected<std::shared_ptr<const TraceLayout>> scan(TraceFile& file, const std::string& path) {
  constexpr std::size_t kFirstSort = 1 << 16;
  std::vector<std::uint64_t> pages;
  std::size_t sort_at = kFirstSort;
  std::uint64_t accesses = 0, last = TraceLayout::kNowhere;
  for (;;) {
    auto access = file.next();
    if (!access) return access.error();
    if (!access->has_value()) break;
    ++accesses;
    const std::uint64_t page = (*access)->address >> 12;
    if (page == last) continue;
    last = page;
    pages.push_back(page);
    if (pages.size() < sort_at) continue;
    sort_once(pages);
    sort_at = std::max(kFirstSort, 2 * pages.size());
  }
  if (accesses == 0)
    return base::Error{base::ErrorKind::usage, "trace " + path + ": the trace has no access", {}, {}, {}};
  auto layout = std::make_shared<TraceLayout>(std::move(pages));
  layout->count_accesses(accesses);
  return std::shared_ptr<const TraceLayout>(std::move(layout));
}

}  // namespace

TraceLayout::TraceLayout(std::vector<std::uint64_t> addresses) : pages_(std::move(addresses)) {
  sort_once(pages_);
  pages_.shrink_to_fit();
}

std::uint64_t TraceLayout::place_of(std::uint64_t page) const {
  const auto found = std::lower_bound(pages_.begin(), pages_.end(), page);
  return found == pages_.end() || *found != page ? kNowhere : static_cast<std::uint64_t>(found - pages_.begin());
}

base::Expected<std::shared_ptr<const TraceLayout>> scan_trace(const std::string& path) {
  static std::mutex lock;
  static TraceFileId kept_id;
  static std::shared_ptr<const TraceLayout> kept;
  auto file = TraceFile::open(path);
  if (!file) return file.error();
  const auto id = file->id();
  if (!id) return id.error();
  const std::lock_guard guard(lock);
  if (kept && kept_id == *id) return kept;
  auto layout = scan(*file, path);
  if (!layout) return layout.error();
  kept_id = *id;
  kept = *layout;
  return kept;
}

}  // namespace fathom::paging::sources
