// A folder of our own under TMPDIR, removed at the end: for fake /sys trees and for files behind loop devices.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace fathom::host::testing {

class TempTree {
 public:
  TempTree() {
    std::string name = (std::filesystem::temp_directory_path() / "fathom_host_XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  const std::string& root() const { return root_; }
  std::string path(std::string_view inside) const { return root_ + std::string(inside); }
  void file(std::string_view inside, std::string_view text) const {
    make_parent(inside);
    std::ofstream(path(inside), std::ios::binary) << text;
  }
  void folder(std::string_view inside) const { std::filesystem::create_directories(path(inside)); }
  // `target` relative to the link, as in sysfs.
  void link(std::string_view inside, std::string_view target) const {
    make_parent(inside);
    std::filesystem::create_symlink(target, path(inside));
  }

  // A device as sysfs shows it; a partition goes into its disk's folder.
  void device(const std::string& name, const std::string& number, const std::string& disk = "") const {
    const std::string inside = "devices/" + (disk.empty() ? name : disk + "/" + name);
    file("/sys/" + inside + "/dev", number + "\n");
    if (!disk.empty()) file("/sys/" + inside + "/partition", "1\n");
    link("/sys/class/block/" + name, "../../" + inside);
    link("/sys/dev/block/" + number, "../../" + inside);
  }
  void built_on(const std::string& upper, const std::string& lower) const {
    file("/sys/class/block/" + lower + "/holders/" + upper, "");
    file("/sys/class/block/" + upper + "/slaves/" + lower, "");
  }

 private:
  void make_parent(std::string_view inside) const {
    std::filesystem::create_directories(std::filesystem::path(path(inside)).parent_path());
  }
  std::string root_;
};

}  // namespace fathom::host::testing
