// See process_tree.h. /proc/PID/task/TID/children would be shorter, but some kernels lack it (PROC_CHILDREN). It may
// also omit a child while other children end (proc_pid_tid_children(5)). So this reads all processes at once, each with
// its parent.
#include "paging/learn/process_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text/unit_text.h"
#include "host/proc/text_file.h"
#include "paging/learn/observe/proc_maps.h"

namespace fathom::paging::learn {
namespace {

constexpr std::size_t kStatMax = 4096;

bool is_pid(const std::string& name, int& pid) {
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && end == name.data() + name.size() && pid > 0;
}

bool is_alive(const observe::ProcessFacts& facts) {
  return facts.there && !facts.kernel_thread && facts.state != 'Z' && facts.state != 'X';
}

}  // namespace

std::vector<TreeProcess> process_tree(pid_t root, const std::string& proc) {
  static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::multimap<int, TreeProcess> by_parent;
  std::vector<TreeProcess> tree;
  for (const std::string& name : host::proc::list_names(proc)) {
    int pid = 0;
    if (!is_pid(name, pid)) continue;
    const observe::ProcessFacts facts =
        observe::parse_stat(host::proc::read_text(proc + "/" + name + "/stat", kStatMax));
    if (!is_alive(facts)) continue;
    const TreeProcess one{pid, facts.resident_pages * page_bytes, facts.name};
    if (pid == root)
      tree.push_back(one);
    else
      by_parent.emplace(facts.parent, one);
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {  // the loop itself extends the tree
    const auto [begin, end] = by_parent.equal_range(tree[i].pid);
    for (auto child = begin; child != end; ++child) tree.push_back(child->second);
  }
  return tree;
}

std::string shown(const TreeProcess& one) {
  return fmt::format("{} ({}, {})", one.pid, one.name, base::text::mib_text(one.resident_bytes));
}

const TreeProcess* heaviest(const std::vector<TreeProcess>& tree) {
  const auto most = std::max_element(tree.begin(), tree.end(), [](const TreeProcess& a, const TreeProcess& b) {
    return a.resident_bytes < b.resident_bytes;
  });
  return most == tree.end() ? nullptr : &*most;
}

}  // namespace fathom::paging::learn
