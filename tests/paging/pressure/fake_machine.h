// A machine in memory for pressure's tests: files, cgroups, zram, swaps and processes, with the kernel's manners as far
// as pressure meets them. The k-th change can be made to fail, or to end the program before or after it.
#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "paging/pressure/machine.h"
#include "paging/pressure/swap/swap_header.h"

namespace fathom::paging::testing {

struct Killed {};  // SIGKILL, as a C++ exception: nothing of the program runs after it

class FakeMachine : public pressure::Machine {
 public:
  enum class Cgroups { v1, v2, none };
  static constexpr int kPid = 4242;
  static constexpr std::uint64_t kFirstTime = 1'000'000'000'000;

  explicit FakeMachine(Cgroups cgroups = Cgroups::v1) {
    files["/proc/sys/vm/swappiness"] = "60\n";
    files["/proc/sys/vm/page-cluster"] = "3\n";
    files["/sys/kernel/mm/transparent_hugepage/enabled"] = "always [madvise] never\n";
    files["/sys/module/zswap/parameters/enabled"] = "N\n";
    files["/sys/class/zram-control/hot_add"] = "";
    files["/sys/class/zram-control/hot_remove"] = "";
    directories = {"/", "/run", "/var", "/var/tmp", "/sys/block"};
    add_zram();  // somebody's own, uninitialised
    if (cgroups == Cgroups::v1) mount_v1();
    if (cgroups == Cgroups::v2) mount_v2();
    start_process(kPid, 77);
  }

  void start_process(int process, unsigned start) {
    pid = process;
    dead = false;
    files[stat_of(process)] =
        std::to_string(process) + " (fathom) S" + repeat(" 1", 18) + " " + std::to_string(start) + " 0\n";
  }
  void end_process(int process) { files.erase(stat_of(process)); }
  // All that a run may have changed; the state directory is looked at apart.
  std::string state() const {
    std::ostringstream out;
    for (const auto& d : directories) {
      if (d.rfind("/run", 0) != 0) out << d << "/\n";
    }
    for (const auto& [path, text] : files) {
      if (path.rfind("/run", 0) != 0 && !is_process(path)) out << path << ": " << without_runs(path, text) << "\n";
    }
    for (const auto& [path, id] : nodes) out << path << " inode " << id.inode << "\n";
    for (const auto& [path, page] : pages)
      out << path << (pressure::swap::parse_swap_page(page) ? " swap\n" : " blank\n");
    for (const auto& s : swaps) out << s.path << " " << s.priority << "\n";
    return out.str();
  }
  std::vector<std::string> journals() const {
    std::vector<std::string> names;
    for (const auto& [path, text] : files) {
      if (path.rfind("/run/fathom/paging/", 0) == 0) names.push_back(path);
    }
    return names;
  }
  void add_disk(const std::string& path, std::uint64_t bytes) {
    nodes[path] = {5, ++inode, 0, ++inode, 1, S_IFBLK | 0600, 0};
    pages[path] = std::vector<std::byte>(4096);
    files["/sys/dev/block/0:" + std::to_string(nodes[path].rdev) + "/size"] = std::to_string(bytes / 512) + "\n";
  }
  int add_zram() {
    int id = 0;
    while (directories.count("/sys/block/zram" + std::to_string(id)) != 0) ++id;
    const std::string n = std::to_string(id), sysfs = "/sys/block/zram" + n;
    directories.insert(sysfs);
    files[sysfs + "/disksize"] = "0\n";
    files[sysfs + "/reset"] = "";
    files[sysfs + "/comp_algorithm"] = "[lzo-rle] lz4\n";
    files[sysfs + "/mm_stat"] = "8192 100 4096 0 4096 0 0 0 0\n";
    nodes["/dev/zram" + n] = {5, ++inode, 0, ++inode, now, S_IFBLK | 0600, 0};
    return id;
  }

  // Reads.
  std::optional<std::string> read(const std::string& path) override {
    if (path == "/proc/swaps") return swaps_text();
    if (path == "/sys/class/zram-control/hot_add") {
      if (before_change("hot_add") != 0) return std::nullopt;
      const int id = add_zram();
      after_change();
      return std::to_string(id) + "\n";
    }
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return file->second;
  }
  std::vector<std::string> list(const std::string& path) override {
    std::set<std::string> names;
    const std::string head = path + "/";
    const auto add = [&](const std::string& p) {
      if (p.rfind(head, 0) == 0) names.insert(p.substr(head.size(), p.find('/', head.size()) - head.size()));
    };
    for (const auto& [p, text] : files) add(p);
    for (const auto& d : directories) add(d);
    return {names.begin(), names.end()};
  }
  bool exists(const std::string& path) override {
    return files.count(path) + directories.count(path) + nodes.count(path) + links.count(path) > 0;
  }
  bool writable(const std::string&) override { return root; }
  std::optional<pressure::FileId> identify(const std::string& path) override {
    if (const auto node = nodes.find(path); node != nodes.end()) return as_kept(node->second);
    if (links.count(path) != 0) return pressure::FileId{1, 2, 0, 0, 0, S_IFLNK | 0777, 0};
    if (directories.count(path) != 0) return pressure::FileId{1, 1, 0, 0, 0, S_IFDIR | 0700, 0};
    return std::nullopt;
  }
  std::vector<std::byte> read_page(const std::string& path) override {
    const auto page = pages.find(path);  // looking changes nothing
    return page == pages.end() ? std::vector<std::byte>() : page->second;
  }
  std::optional<std::string> real_path(const std::string& path) override {
    if (!exists(path)) return std::nullopt;
    const auto link = links.find(path);
    return link == links.end() ? path : link->second;
  }
  base::Expected<void> may_claim(const std::string& path) override {
    if (in_use.count(path) == 0) return {};
    return base::Error{base::ErrorKind::refused, path + ": in use", "", "", {}, 0};
  }
  base::Expected<void> may_overwrite(const std::string& path, const std::vector<std::string>& allowed) override {
    for (const std::string& a : allowed) {
      if (a == path) return {};
    }
    return base::Error{base::ErrorKind::refused, path + ": not named", "", "", {}, 0};
  }
  base::Expected<void> may_make_file(const std::string& path, std::uint64_t) override {
    if (path.rfind(no_swap_files_below, 0) != 0 || no_swap_files_below.empty()) return {};
    return base::Error{base::ErrorKind::usage, path + ": this file system cannot hold a swap file", "", "", {}, 0};
  }
  bool administrator() override { return root; }
  std::uint32_t own_user() override { return 0; }
  std::uint64_t now_ns() override { return now += 1000; }
  void pause_ms(unsigned) override {}
  std::uint64_t own_pid_namespace() override { return pid_namespace; }
  int own_pid() override { return dead ? -1 : pid; }
  base::system::UniqueFd lock(const std::string&) override { return base::system::UniqueFd(::dup(0)); }
  bool is_locked(const std::string& path) override { return locked.count(path) != 0; }

  // Changes.
  int write(const std::string& path, const std::string& text) override {
    return change("write " + path, [&] { return written(path, text); });
  }
  int append(const std::string& path, const std::string& text) override {
    return change("append", [&] {
      files[path] += text;
      return 0;
    });
  }
  int make_directory(const std::string& path) override {
    return change("mkdir " + path, [&] {
      if (exists(path)) return EEXIST;
      directories.insert(path);
      const std::string parent = path.substr(0, path.rfind('/'));
      if (files.count(parent + "/cgroup.procs") != 0) make_cgroup_files(parent, path);
      return 0;
    });
  }
  int remove_directory(const std::string& path) override {
    return change("rmdir " + path, [&] {
      if (directories.count(path) == 0) return ENOENT;
      if (files.count(path + "/cgroup.procs") != 0 && !files[path + "/cgroup.procs"].empty()) return EBUSY;
      directories.erase(path);
      erase_below(path);
      return 0;
    });
  }
  int remove_file(const std::string& path) override {
    return change("unlink " + path, [&] {
      const auto gone = files.erase(path) + nodes.erase(path);
      pages.erase(path);
      return gone > 0 ? 0 : ENOENT;
    });
  }
  int kill(int process) override {
    return change("kill", [&] {
      leave_cgroups(process);
      end_process(process);
      return 0;
    });
  }
  int swap_on(const std::string& path, int priority) override {
    return change("swapon " + path, [&] {
      if (nodes.count(path) == 0) return ENOENT;
      if (!pressure::swap::parse_swap_page(read_page(path)) || refuse_swap_on == path) return EINVAL;
      swaps.push_back({path, "partition", 1 << 20, 4096, priority < 0 ? --least_priority : priority});
      return 0;
    });
  }
  int swap_off(const std::string& path, const std::function<void()>& each_second) override {
    if (each_second) each_second();
    return change("swapoff " + path, [&] {
      for (auto s = swaps.begin(); s != swaps.end(); ++s) {
        if (s->path != path) continue;
        const int gone = s->priority;
        swaps.erase(s);
        for (auto& other : swaps) other.priority += gone < 0 && other.priority < gone ? 1 : 0;
        least_priority += gone < 0 ? 1 : 0;
        return 0;
      }
      return EINVAL;
    });
  }
  int write_page(const std::string& path, const std::vector<std::byte>& page) override {
    return change("write page " + path, [&] {
      if (nodes.count(path) == 0) return ENOENT;
      pages[path] = page;
      return 0;
    });
  }
  base::Expected<pressure::UnnamedFile> make_file(const std::string& path, std::uint64_t size_bytes,
                                                  const std::vector<std::byte>& page,
                                                  const std::function<bool()>& stop) override {
    if (const int err = before_change("make file")) return base::system_error(path, err);
    if (stop && stop()) return base::Error{base::ErrorKind::io, "stopped", "", "", {}, EINTR};
    unnamed = page;
    after_change();
    return pressure::UnnamedFile{base::system::UniqueFd(),
                                 pressure::FileId{9, ++inode, size_bytes, 0, 0, S_IFREG | 0600, 0}};
  }
  int name_file(const pressure::UnnamedFile& file, const std::string& path) override {
    return change("link " + path, [&] {
      if (exists(path)) return EEXIST;
      nodes[path] = file.id;
      pages[path] = unnamed;
      return 0;
    });
  }

  std::map<std::string, std::string> files;
  std::set<std::string> directories;
  std::set<std::string> locked;  // journals of runs that live, whatever /proc says
  std::map<std::string, pressure::FileId> nodes;
  std::map<std::string, std::vector<std::byte>> pages;
  std::vector<pressure::swap::ActiveSwap> swaps;
  std::vector<std::string> changes;  // made or tried, in order
  bool root = true;
  std::string refuse_swap_on, no_swap_files_below;
  std::set<std::string> in_use;              // devices that something has mounted or claimed
  std::map<std::string, std::string> links;  // symbolic
  bool counts_swap = true;                   // v2: memory.swap.max
  bool keeps_births = true;                  // else identify() knows only changes, and each one of the machine is one
  int fail_at = -1, kill_before = -1, kill_after = -1;  // numbers of changes, from 0
  std::uint64_t now = kFirstTime;
  int pid = kPid;
  std::uint64_t pid_namespace = 4026531836;
  bool dead = false;

  // A group of somebody else with a limit ("": none), below /cg; of v1 or v2 as is mounted.
  void add_group(const std::string& path, const std::string& limit, const std::string& procs = "") {
    const bool v2 = files.count("/cg/cgroup.controllers") != 0;
    directories.insert(path);
    files[path + "/cgroup.procs"] = procs;
    if (v2) {
      files[path + "/cgroup.type"] = "domain\n";
      files[path + "/cgroup.controllers"] = "memory\n";
      files[path + "/cgroup.subtree_control"] = "\n";
    }
    files[path + (v2 ? "/memory.max" : "/memory.limit_in_bytes")] = (limit.empty() ? "max" : limit) + "\n";
  }
  // The run's own process is in this group, "/box".
  void put_run_into(const std::string& group) {
    files["/proc/self/cgroup"] = "4:memory:" + group + "\n0::" + group + "\n";
    files["/cg" + group + "/cgroup.procs"] += std::to_string(kPid) + "\n";
  }

  // A process of somebody else with pages in swap, in a memory cgroup below /cg.
  void add_foreign(int process, const std::string& name, std::uint64_t swapped_bytes, const std::string& cgroup) {
    const std::string folder = "/proc/" + std::to_string(process);
    files[folder + "/status"] = "Name:\t" + name + "\nVmSwap:\t  " + std::to_string(swapped_bytes / 1024) + " kB\n";
    files[folder + "/cgroup"] = "4:memory:" + cgroup + "\n0::" + cgroup + "\n";
  }
  void end_foreign(int process) { erase_below("/proc/" + std::to_string(process)); }
  // As swapon(8) without -p.
  void add_swap(const std::string& path) {
    add_disk(path, 64 << 20);
    pages[path] = pressure::swap::swap_page(64 << 20, 4096, pressure::swap::random_uuid(), "");
    swaps.push_back({path, "partition", 64 << 20, 0, --least_priority});
  }
  int priority_of(const std::string& path) const {
    for (const auto& s : swaps) {
      if (s.path == path) return s.priority;
    }
    return 0;
  }

 private:
  pressure::FileId as_kept(pressure::FileId id) const {
    id.changed_ns = now;
    if (!keeps_births) id.birth_ns = 0;
    return id;
  }
  // Where a killed run's own process was it is no more.
  static std::string without_runs(const std::string& path, std::string text) {
    const std::string line = std::to_string(kPid) + "\n";
    const auto at = path.ends_with("/cgroup.procs") ? text.find(line) : std::string::npos;
    return at == std::string::npos ? text : text.erase(at, line.size());
  }
  static std::string stat_of(int process) { return "/proc/" + std::to_string(process) + "/stat"; }
  static bool is_process(const std::string& path) {
    return path.rfind("/proc/", 0) == 0 && path[6] >= '0' && path[6] <= '9';
  }
  static std::string repeat(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  }
  int before_change(const std::string& what) {
    const int k = static_cast<int>(changes.size());
    changes.push_back(what);
    if (k == kill_before) die();
    return k == fail_at ? EIO : 0;
  }
  void after_change() {
    if (static_cast<int>(changes.size()) - 1 == kill_after) die();
  }
  void die() {
    dead = true;
    leave_cgroups(pid);
    end_process(pid);
    throw Killed();
  }
  std::string text_of(const std::string& path) const {
    const auto file = files.find(path);
    return file == files.end() ? "" : file->second;
  }
  template <class Fn>
  int change(const std::string& what, Fn fn) {
    if (const int err = before_change(what)) return err;
    const int err = fn();
    after_change();
    return err;
  }
  int written(const std::string& path, const std::string& text) {
    const std::string name = path.substr(path.rfind('/') + 1), folder = path.substr(0, path.rfind('/'));
    if (files.count(path) == 0) return ENOENT;
    if (name == "hot_remove") return remove_zram(text);
    if (name == "reset") {
      const std::string device = "/dev/" + folder.substr(folder.rfind('/') + 1);
      for (const auto& s : swaps) {
        if (s.path == device) return EBUSY;
      }
      files[folder + "/disksize"] = "0\n";
      pages.erase(device);
    } else if (name == "disksize") {
      files[path] = text + "\n";
      pages["/dev/" + folder.substr(folder.rfind('/') + 1)] = std::vector<std::byte>(4096);
    } else if (name == "comp_algorithm") {
      if (text != "lz4" && text != "lzo-rle") return EINVAL;
    } else if (name == "cgroup.procs") {
      const bool hands_down = text_of(folder + "/cgroup.subtree_control") == "memory\n";
      if (hands_down && files.count(folder + "/cgroup.type") != 0) return EBUSY;
      leave_cgroups(std::stoi(text));
      files[path] += text + "\n";
    } else if (name == "cgroup.subtree_control") {
      const bool top = files.count(folder + "/cgroup.type") == 0;
      if (text == "+memory" && !top && !text_of(folder + "/cgroup.procs").empty()) return EBUSY;
      files[path] = text == "+memory" ? "memory\n" : "\n";
    } else if (path == "/sys/kernel/mm/transparent_hugepage/enabled") {
      files[path] = text == "never" ? "always madvise [never]\n" : "always [madvise] never\n";
    } else {
      files[path] = text + "\n";
    }
    return 0;
  }
  int remove_zram(const std::string& id) {
    const std::string sysfs = "/sys/block/zram" + id;
    if (directories.count(sysfs) == 0) return ENODEV;
    if (files[sysfs + "/disksize"] != "0\n") return EBUSY;
    directories.erase(sysfs);
    erase_below(sysfs);
    nodes.erase("/dev/zram" + id);
    return 0;
  }
  void erase_below(const std::string& folder) {
    for (auto f = files.begin(); f != files.end();)
      f = f->first.rfind(folder + "/", 0) == 0 ? files.erase(f) : std::next(f);
  }
  void leave_cgroups(int process) {
    const std::string line = std::to_string(process) + "\n";
    for (auto& [path, text] : files) {
      if (path.rfind("cgroup.procs") == std::string::npos) continue;
      if (const auto at = text.find(line); at != std::string::npos) text.erase(at, line.size());
    }
  }
  void make_cgroup_files(const std::string& parent, const std::string& path) {
    files[path + "/cgroup.procs"] = "";
    if (files.count(parent + "/memory.limit_in_bytes") != 0) {
      for (const char* f : {"/memory.limit_in_bytes", "/memory.memsw.limit_in_bytes", "/memory.swappiness"})
        files[path + f] = "60\n";
    }
    if (files.count(parent + "/cgroup.controllers") != 0) {
      files[path + "/cgroup.type"] = "domain\n";
      files[path + "/cgroup.controllers"] = files[parent + "/cgroup.subtree_control"];
      files[path + "/cgroup.subtree_control"] = "\n";
    }
    if (text_of(parent + "/cgroup.subtree_control") == "memory\n") {
      files[path + "/memory.max"] = "max\n";
      if (counts_swap) files[path + "/memory.swap.max"] = "max\n";
    }
  }
  void mount_v1() {
    files["/proc/self/mountinfo"] = "35 31 0:32 / /cg rw,relatime - cgroup cgroup rw,memory\n";
    files["/proc/self/cgroup"] = "4:memory:/service\n";
    for (const char* d : {"/cg", "/cg/service"}) {
      directories.insert(d);
      files[std::string(d) + "/cgroup.procs"] = "";
      files[std::string(d) + "/memory.limit_in_bytes"] = "9223372036854771712\n";
      files[std::string(d) + "/cgroup.subtree_control"] = "";
    }
  }
  void mount_v2() {
    files["/proc/self/mountinfo"] = "38 31 0:38 / /cg rw,relatime - cgroup2 cgroup2 rw\n";
    files["/proc/self/cgroup"] = "0::/\n";
    directories.insert("/cg");
    files["/cg/cgroup.procs"] = "1\n";
    files["/cg/cgroup.controllers"] = "cpu memory pids\n";
    files["/cg/cgroup.subtree_control"] = "\n";
  }
  std::string swaps_text() const {
    std::ostringstream out;
    out << "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
    for (const auto& s : swaps) {
      out << s.path << " " << s.type << " " << s.size_bytes / 1024 << " " << s.used_bytes / 1024 << " " << s.priority
          << "\n";
    }
    return out.str();
  }

  std::uint64_t inode = 100;
  int least_priority = -1;  // of the kernel's own, which go down from -2
  std::vector<std::byte> unnamed;
};

}  // namespace fathom::paging::testing
