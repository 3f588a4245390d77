// The kernel names the two alike: ngXnY and nvmeXnY (drivers/nvme/host, since 5.13).
#include "host/nvme_generic.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

namespace fathom::host {

std::string block_of_generic(dev_t character, const std::string& prefix) {
  std::error_code ec;
  const auto link = std::filesystem::read_symlink(
      fmt::format("{}/sys/dev/char/{}:{}", prefix, major(character), minor(character)), ec);
  const std::string name = ec ? std::string() : link.filename().string();
  if (!name.starts_with("ng")) return {};
  const std::string block = "nvme" + name.substr(2);
  return std::filesystem::exists(prefix + "/sys/class/block/" + block, ec) ? block : std::string();
}

std::string block_path_of_generic(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0 || !S_ISCHR(st.st_mode)) return {};
  const std::string block = block_of_generic(st.st_rdev);
  return block.empty() ? std::string() : "/dev/" + block;
}

}  // namespace fathom::host
