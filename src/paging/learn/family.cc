// See family.h.
#include "paging/learn/family.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "result/findings/rows.h"

namespace fathom::paging::learn {
namespace {

constexpr double kLarger = 1.5;  // factor of memory that justifies a warning

}  // namespace

Family::Family(pid_t root, bool choose, std::string proc)
    : root_(root),
      choose_(choose),
      proc_(std::move(proc)),
      root_fd_(static_cast<int>(syscall(SYS_pidfd_open, root, 0))) {}

bool Family::over() const {
  if (!choose_) return false;
  pollfd one{root_fd_.get(), POLLIN, 0};
  return root_fd_ ? poll(&one, 1, 0) > 0 : tree_.empty();
}

void Family::look() {
  looked_ = std::chrono::steady_clock::now();
  tree_ = process_tree(root_, proc_);
  for (const TreeProcess& one : tree_) {
    TreeProcess& most = largest_[one.pid];
    if (one.resident_bytes >= most.resident_bytes) most = one;
  }
  took_ = std::chrono::steady_clock::now() - looked_;
}

void Family::look_sometimes() {
  constexpr std::chrono::milliseconds kPause{100};
  const auto pause = std::max<std::chrono::steady_clock::duration>(kPause, 20 * took_);
  if (std::chrono::steady_clock::now() - looked_ >= pause) look();
}

std::optional<TreeProcess> Family::heavier_than(pid_t pid, double times, std::uint64_t bytes) const {
  const TreeProcess* most = choose_ ? heaviest(tree_) : nullptr;
  if (most == nullptr || most->pid == pid) return std::nullopt;
  const auto now = std::find_if(tree_.begin(), tree_.end(), [&](const TreeProcess& one) { return one.pid == pid; });
  const std::uint64_t own = now == tree_.end() ? 0 : now->resident_bytes;
  if (static_cast<double>(most->resident_bytes) < times * static_cast<double>(own) + static_cast<double>(bytes))
    return std::nullopt;
  return *most;
}

void Family::begins(pid_t pid) {
  look();
  const auto now = std::find_if(tree_.begin(), tree_.end(), [&](const TreeProcess& one) { return one.pid == pid; });
  observed_ = now == tree_.end() ? TreeProcess{pid, 0, "ended"} : *now;
}

const TreeProcess* Family::largest_other() const {
  const TreeProcess* most = nullptr;
  for (const auto& [pid, one] : largest_)
    if (pid != observed_.pid && (most == nullptr || one.resident_bytes > most->resident_bytes)) most = &one;
  return most;
}

std::vector<result::Finding> Family::findings() const {
  const TreeProcess* other = largest_other();
  if (other == nullptr) return {};
  const bool larger =
      static_cast<double>(other->resident_bytes) > kLarger * static_cast<double>(observed_.resident_bytes);
  return {result::findings::found(choose_ ? "learn.process" : "learn.children",
                                  {.values = {{"processes", largest_.size()},
                                              {"others", largest_.size() - 1},
                                              {"process", shown(observed_)},
                                              {"largest", shown(*other)},
                                              {"largest_pid", other->pid}},
                                   .severity = larger ? result::Severity::warning : result::Severity::note})};
}

}  // namespace fathom::paging::learn
