// Which process of a command is observed: the one with the most resident memory, chosen anew until its observation has
// really begun; and who else there was, so that the report can say whom it does not speak of. Thread rule: one thread.
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
  // choose: the root is a command's first process; else the root itself is what is observed.
  Family(pid_t root, bool choose, std::string proc = "/proc");

  bool chooses() const { return choose_; }
  // Where choosing: the root is no more.
  bool over() const;
  void look();
  void look_sometimes();  // at most a twentieth of the time
  // Where choosing, as of the last look: one that has so many times the memory of `pid`, and so much more.
  std::optional<TreeProcess> heavier_than(pid_t pid, double times, std::uint64_t bytes) const;
  void begins(pid_t pid);  // this one's observation, of which findings() then speaks

  std::vector<result::Finding> findings() const;
  const TreeProcess& observed() const { return observed_; }
  const TreeProcess* largest_other() const;  // ever seen

 private:
  pid_t root_;
  bool choose_;
  std::string proc_;
  base::system::UniqueFd root_fd_;
  std::vector<TreeProcess> tree_;
  std::map<pid_t, TreeProcess> largest_;  // of each: when it had most
  TreeProcess observed_;
  std::chrono::steady_clock::time_point looked_{};
  std::chrono::steady_clock::duration took_{};
};

}  // namespace fathom::paging::learn
