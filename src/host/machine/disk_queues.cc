// The kernel has no word for the kind of a disk: its driver names it.
#include "host/machine/disk_queues.h"

#include <unistd.h>

#include <string_view>

#include "host/disk/disk_facts.h"
#include "host/proc/text_file.h"

namespace fathom::host::machine {
namespace {

struct Kind {
  std::string_view begin, name;
};
constexpr Kind kKinds[] = {{"nvme", "NVMe"}, {"vd", "virtio"},  {"sd", "SCSI or SATA"},
                           {"xvd", "Xen"},   {"mmcblk", "MMC"}, {"pmem", "persistent memory"},
                           {"nbd", "NBD"},   {"dasd", "DASD"},  {"sr", "optical"}};

std::string kind_of(std::string_view disk) {
  for (const auto& kind : kKinds)
    if (disk.starts_with(kind.begin)) return std::string(kind.name);
  return "disk";
}

}  // namespace

bool iostats_off(const disk::BlockTree& tree, const std::string& disk) {
  return !disk.starts_with("zram") && tree.attribute(disk, "queue/iostats") == "0";
}

std::vector<DiskQueue> disk_queues(const std::string& prefix) {
  const disk::BlockTree tree(prefix);
  const std::string folder = prefix + "/sys/class/block/";
  std::vector<DiskQueue> disks;
  for (const auto& name : proc::list_names(folder)) {
    // A hidden device is a path of a multipath disk.
    if (tree.is_partition(name) || tree.size_bytes(name) == 0 || tree.attribute(name, "hidden") == "1") continue;
    if (::access((folder + name + "/device").c_str(), F_OK) != 0) continue;
    DiskQueue disk;
    disk::add_disk_facts(disk.facts, tree, name);
    disk.kind = kind_of(name);
    disk.write_cache = tree.attribute(name, "queue/write_cache");
    disk.iostats_off = iostats_off(tree, name);
    disk.poll_queues = tree.attribute(name, "queue/io_poll") == "1";
    disks.push_back(std::move(disk));
  }
  return disks;
}

}  // namespace fathom::host::machine
