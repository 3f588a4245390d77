// Chooses the process of a command to observe: the one with the most resident memory. The choice is repeated until its
// observation has really begun. Keeps the other processes, so that the report can name what it does not cover. Thread
// rule: one thread.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/system/fd.h"
#include "paging/learn/process_tree.h"
#include "result/finding.h"

namespace fathom::paging::learn {

class Family {
 public:
  // choose: the root is a command's first process; otherwise the root itself is observed.
  Family(pid_t root, bool choose, std::string proc = "/proc");

  bool chooses() const { return choose_; }
  // If it chooses: the root has ended. Otherwise false.
  bool over() const;
  void look();
  void look_sometimes();  // uses at most a twentieth of the time
  // If it chooses, as of the last look: a process with at least `times` times the memory of `pid`, plus `bytes`.
  std::optional<TreeProcess> heavier_than(pid_t pid, double times, std::uint64_t bytes) const;
  void begins(pid_t pid);  // the observation of this process begins; findings() covers it

  std::vector<result::Finding> findings() const;
  const TreeProcess& observed() const { return observed_; }
  const TreeProcess* largest_other() const;  // ever seen

 private:
  pid_t root_;
  bool choose_;
  std::string proc_;
  base::system::UniqueFd root_fd_;
  std::vector<TreeProcess> tree_;
  std::map<pid_t, TreeProcess> largest_;  // of each process: when it had most
  TreeProcess observed_;
  std::chrono::steady_clock::time_point looked_{};
  std::chrono::steady_clock::duration took_{};
};

}  // namespace fathom::paging::learn
