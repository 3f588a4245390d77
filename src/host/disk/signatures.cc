// Uses blkid's stepwise probe, not its "safe" one. If there are two signatures, the safe probe returns "ambivalent" and
// names neither, but a guard must name both. Bad checksums, and a GPT without its protective MBR, count as well: a
// damaged file system still contains a user's data.
#include "host/disk/signatures.h"

#include <blkid/blkid.h>

#include <cerrno>
#include <memory>

namespace fathom::host::disk {
namespace {

struct FreeProbe {
  void operator()(blkid_probe p) const { blkid_free_probe(p); }
};
using Probe = std::unique_ptr<std::remove_pointer_t<blkid_probe>, FreeProbe>;

std::string value(blkid_probe probe, const char* name) {
  const char* data = nullptr;
  return blkid_probe_lookup_value(probe, name, &data, nullptr) == 0 && data ? data : "";
}

void add_once(std::string& list, const std::string& item) {
  if (item.empty() || (", " + list + ", ").find(", " + item + ", ") != std::string::npos) return;
  list += (list.empty() ? "" : ", ") + item;
}

Probe open_probe(int fd, std::uint64_t start, std::uint64_t size) {
  Probe probe(blkid_new_probe());
  const auto first = static_cast<blkid_loff_t>(start), bytes = static_cast<blkid_loff_t>(size);
  if (!probe || blkid_probe_set_device(probe.get(), fd, first, bytes) != 0) return nullptr;
  blkid_probe_enable_superblocks(probe.get(), 1);
  blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
  blkid_probe_enable_partitions(probe.get(), 1);
  blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_FORCE_GPT);
  return probe;
}

}  // namespace

base::Expected<Signatures> probe_signatures(int fd, const std::string& path, std::uint64_t start_bytes,
                                            std::uint64_t size_bytes) {
  const std::string what = path + ": cannot read its contents";
  errno = 0;
  const Probe probe = open_probe(fd, start_bytes, size_bytes);
  if (!probe) return base::system_error(what, errno != 0 ? errno : EIO);
  Signatures found;
  int rc = 0;
  while ((rc = blkid_do_probe(probe.get())) == 0) {
    add_once(found.content, value(probe.get(), "TYPE"));
    add_once(found.partition_table, value(probe.get(), "PTTYPE"));
    if (found.label.empty()) found.label = value(probe.get(), "LABEL");
  }
  if (rc < 0) return base::system_error(what, rc < -1 ? -rc : (errno != 0 ? errno : EIO));
  return found;
}

}  // namespace fathom::host::disk
