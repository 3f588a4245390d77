// NVMe's two devices have similar names: ngXnY and nvmeXnY (drivers/nvme/host, since 5.13). For SCSI, the block device
// is in the directory of the device that both belong to.
#include "host/disk/generic_device.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

namespace fathom::host::disk {
namespace {

std::string only_entry(const std::string& folder) {
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec)) return entry.path().filename().string();
  return {};
}

}  // namespace

std::string block_of_generic(dev_t character, const std::string& prefix) {
  std::error_code ec;
  const std::string number = fmt::format("{}/sys/dev/char/{}:{}", prefix, major(character), minor(character));
  const auto link = std::filesystem::read_symlink(number, ec);
  const std::string name = ec ? std::string() : link.filename().string();
  if (link.parent_path().filename() == "scsi_generic") return only_entry(number + "/device/block");
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

}  // namespace fathom::host::disk
