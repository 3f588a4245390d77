// Identifies the namespace of a character device, and translates status codes to errnos.
#include "engine/queue/nvme_passthrough.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/system/fd.h"
#include "engine/parts.h"
#include "nvme/identify.h"
#include "nvme/status.h"

namespace fathom::engine::queue {
namespace {

constexpr unsigned kPageShift = 12;  // CAP.MPSMIN, which the kernel does not report, is 4 KiB on almost all devices

base::Error not_a_namespace(const std::string& path, std::string cause) {
  base::Error e;
  e.what = fmt::format("io_uring_cmd: `{}` is not the character device of an NVMe namespace", path);
  e.cause = std::move(cause);
  e.help = "name a device such as /dev/ng0n1";
  return e;
}

base::Expected<void> identify(int fd, const std::string& path, std::uint32_t nsid, nvme::Cns cns, void* to) {
  nvme_admin_cmd command{};
  command.opcode = static_cast<std::uint8_t>(nvme::AdminOpcode::identify);
  command.nsid = nsid;
  command.cdw10 = static_cast<std::uint32_t>(cns);
  command.addr = reinterpret_cast<std::uint64_t>(to);
  command.data_len = 4096;
  const int rc = ::ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);
  if (rc == 0) return {};
  if (rc > 0) return nvme::status_error(path, "identify", static_cast<std::uint16_t>(rc));
  auto e = base::system_error("identify `" + path + "`", errno);
  if (e.sys_errno == EACCES || e.sys_errno == EPERM) {
    e.kind = base::ErrorKind::privilege;
    e.help = "run as root";
  }
  return e;
}

struct StatusErrno {
  std::uint16_t first, last;  // status code type and status code
  int err;
};
constexpr StatusErrno kErrnos[] = {
    {0x001, 0x002, EOPNOTSUPP},  // invalid opcode, invalid field
    {0x00b, 0x00b, EOPNOTSUPP},  // invalid namespace or format
    {0x080, 0x080, EREMOTEIO},   // LBA out of range
    {0x081, 0x081, ENOSPC},      // capacity exceeded
    {0x082, 0x082, EAGAIN},      // namespace not ready
    {0x083, 0x083, EBADE},       // reservation conflict
    {0x180, 0x182, EOPNOTSUPP},  // conflicting attributes, protection information, write to a read only range
    {0x280, 0x281, ENODATA},     // write fault, unrecovered read error
    {0x282, 0x284, EILSEQ},      // guard, application tag, reference tag
    {0x285, 0x287, ENODATA},     // compare failure, access denied, deallocated or unwritten block
    {0x300, 0x371, ENOLINK},     // path related
};

}  // namespace

int errno_of_status(std::uint16_t status) {
  const std::uint16_t kind = nvme::status_kind(status);
  for (const auto& row : kErrnos)
    if (kind >= row.first && kind <= row.last) return row.err;
  return EIO;
}

bool trim_ranges_for(const NvmeNamespace& ns, std::span<const io::Range> ranges, nvme::DsmRange* to,
                     nvme_uring_cmd& trim) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (((ranges[i].offset | ranges[i].length) & (ns.block_bytes() - 1)) != 0) return false;
    to[i] = {0, ranges[i].length >> ns.block_shift, ranges[i].offset >> ns.block_shift};
  }
  trim.addr = reinterpret_cast<std::uint64_t>(to);
  trim.data_len = static_cast<std::uint32_t>(ranges.size() * sizeof *to);
  trim.cdw10 = static_cast<std::uint32_t>(ranges.size() - 1);
  return true;
}

base::Expected<NvmeNamespace> read_namespace(const nvme::IdentifyNamespace& facts, const std::string& path) {
  const nvme::LbaFormat format = facts.lbaf[nvme::format_index(facts)];
  if (format.lbads < 9 || format.lbads > 31)
    return base::Error{base::ErrorKind::io,
                       fmt::format("`{}`: blocks of 2^{} bytes", path, format.lbads),
                       "its Identify data are invalid",
                       "",
                       {},
                       EIO};
  constexpr std::uint8_t kWithinBlocks = 0x10;  // bit of FLBAS
  if (format.ms != 0 && (facts.flbas & kWithinBlocks) != 0)
    return base::Error{
        base::ErrorKind::not_built,
        fmt::format("`{}` has {} bytes of metadata within each block", path, format.ms),
        "the block size is then not a power of two, and fathom passes metadata only in a separate buffer",
        "use its block device, or format it with separate metadata (`nvme format --ms=0`) or without metadata",
        {},
        0};
  NvmeNamespace ns;
  ns.block_shift = format.lbads;
  ns.blocks = facts.nsze;
  ns.metadata_bytes = format.ms;
  // DPS: the type in its lowest bits, and the position within the metadata.
  if (format.ms >= 8) {
    ns.protection_type = facts.dps & 7;
    ns.protection_first = (facts.dps & 8) != 0;
  }
  return ns;
}

base::Expected<NvmeNamespace> identify_namespace(int fd, const std::string& path) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return base::system_error("look at `" + path + "`", errno);
  if (S_ISBLK(st.st_mode))
    return not_a_namespace(path, "the target is a block device: passthrough uses the character device");
  if (!S_ISCHR(st.st_mode)) return not_a_namespace(path, "the target is not a device");
  const int nsid = ::ioctl(fd, NVME_IOCTL_ID);
  if (nsid <= 0) return not_a_namespace(path, "the device does not respond as an NVMe namespace");

  nvme::IdentifyNamespace facts{};
  if (auto ok = identify(fd, path, static_cast<std::uint32_t>(nsid), nvme::Cns::identify_namespace, &facts); !ok)
    return ok.error();
  auto ns = read_namespace(facts, path);
  if (!ns) return ns;
  ns->nsid = static_cast<std::uint32_t>(nsid);

  nvme::IdentifyController controller{};
  if (auto ok = identify(fd, path, 0, nvme::Cns::identify_controller, &controller); !ok) return ok.error();
  if (controller.mdts != 0 && controller.mdts < 32)
    ns->largest_bytes = std::uint64_t{1} << (controller.mdts + kPageShift);
  return ns;
}

base::Expected<TargetFacts> look_at_namespace(const std::string& path, const io::EngineOptions&) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    auto e = base::system_error("open `" + path + "`", errno);
    if (e.sys_errno == ENOENT) e.help = "list the devices with `ls /dev/ng*`";
    return e;
  }
  auto ns = identify_namespace(fd.get(), path);
  if (!ns) return ns.error();
  return TargetFacts{io::TargetKind::character, ns->size_bytes(), ns->block_bytes(), false};
}

}  // namespace fathom::engine::queue

namespace fathom::engine {

const Targets io_uring_cmd_targets{nullptr, queue::look_at_namespace};

}  // namespace fathom::engine
