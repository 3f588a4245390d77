// The table of features that are not supported.
#include "nvme/not_built.h"

namespace fathom::nvme {
namespace {

struct NotBuiltRow {
  NotBuilt what;
  std::string_view name, text, cause, help;
};

constexpr NotBuiltRow kRows[] = {
    {NotBuilt::sgl, "sgl", "SGL data descriptors", "the driver describes data with PRPs only",
     "leave PSDT (CDW0 15:14) at 0"},
    {NotBuilt::metadata, "metadata", "metadata",
     "the blocks of this format have metadata, and the driver does not move metadata",
     "format the namespace with an LBA format of metadata size 0 (nvme format --lbaf=N)"},
    {NotBuilt::protection_information, "pi", "end-to-end protection information",
     "blocks with protection information need guard and tags, which the driver does not generate",
     "format the namespace without it (nvme format --pi=0)"},
    {NotBuilt::controller_memory_buffer, "cmb", "controller memory buffer", "queues and data are in host memory only",
     "omit the buffer: a controller works without it"},
    {NotBuilt::shadow_doorbells, "shadow-doorbells", "shadow doorbells (Doorbell Buffer Config)",
     "doorbells are written to the device only", "omit them: shadow doorbells are for guests of emulated devices"},
    {NotBuilt::zoned_namespaces, "zns", "zoned namespaces",
     "the namespace belongs to the zoned command set, which has special rules for writes",
     "choose a namespace of the NVM command set"},
    {NotBuilt::key_value, "kv", "the key-value command set", "the namespace has keys, not blocks",
     "choose a namespace of the NVM command set"},
    {NotBuilt::other_command_set, "command-sets", "I/O command sets other than NVM",
     "the namespace belongs to another command set", "choose a namespace of the NVM command set"},
    {NotBuilt::fabrics, "fabrics", "NVMe over fabrics", "this is a discovery controller, which has no namespaces",
     "name an I/O controller: a PCI address, a vfio-user socket (with a subsystem's own NQN) or soft"},
    {NotBuilt::administrative_controller, "admin-controller", "administrative controllers",
     "the controller has no I/O queues", "name an I/O controller of the same subsystem"},
    {NotBuilt::wide_submission_entries, "wide-sqes", "submission queue entries of more than 64 bytes",
     "this controller accepts only 128-byte entries", "use the kernel's driver"},
    {NotBuilt::large_pages, "mps", "memory pages of more than 4 KiB",
     "by CAP.MPSMIN the controller's smallest page is larger than 4 KiB, and the driver's PRPs use 4 KiB pages",
     "use the kernel's driver"},
    {NotBuilt::block_layer, "block-layer", "a block layer above the driver",
     "a queue pair moves blocks between a device and the caller's memory, without caching, merging or scheduling",
     "bind the device to the kernel's driver and use its block device"},
};

}  // namespace

base::Error not_built(NotBuilt what, const std::string& subject) {
  base::Error e;
  e.kind = base::ErrorKind::not_built;
  for (const auto& row : kRows) {
    if (row.what != what) continue;
    e.what = subject + ": " + std::string(row.text) + ": not built";
    e.cause = row.cause;
    e.help = row.help;
  }
  return e;
}

const NotBuilt* find_not_built(std::string_view name) {
  for (const auto& row : kRows)
    if (row.name == name) return &row.what;
  return nullptr;
}

}  // namespace fathom::nvme
