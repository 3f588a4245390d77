// mtd: raw flash memory, /dev/mtdN. A request is divided at erase blocks, because the kernel reports errors by them: a
// read is pread, a write pwrite, a trim erases whole erase blocks. A write to a page that was not erased keeps the bits
// that are 0. There is no sync: a write is on the flash memory when it returns.
// fio marks an erase block as bad after EIO, also in a job that only reads. fathom marks none.
// Source: include/uapi/mtd/mtd-abi.h of Linux; sizes above 4 GiB from /sys/class/mtd.
#include <fcntl.h>
#include <fmt/format.h>
#include <mtd/mtd-user.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/system/fd.h"
#include "engine/parts.h"
#include "io/options/devices/mtd.h"

namespace fathom::engine {
namespace {

struct Flash : CallState {
  std::vector<std::uint32_t> erase_bytes;  // one per target
  bool skip_bad = false;
  std::span<char> refusal;
};

base::Expected<mtd_info_user> ask_flash(int fd, const std::string& name) {
  mtd_info_user info{};
  if (::ioctl(fd, MEMGETINFO, &info) == 0) return info;
  auto e = base::system_error(fmt::format("`{}`: MEMGETINFO", name), errno);
  e.cause = "the target is not flash memory";
  e.help = "name a device of /proc/mtd: filename=/dev/mtd0";
  return e;
}

// The size in MEMGETINFO has 32 bits.
std::uint64_t size_bytes_of(const std::string& name, const mtd_info_user& info) {
  std::ifstream in("/sys/class/mtd/" + std::filesystem::path(name).filename().string() + "/size");
  std::uint64_t bytes = 0;
  return in >> bytes ? bytes : info.size;
}

base::Expected<TargetFacts> look_at_mtd(const std::string& name, const io::EngineOptions&) {
  const base::system::UniqueFd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    auto e = base::system_error("open `" + name + "`", errno);
    e.help = "name a device of /proc/mtd, as root: filename=/dev/mtd0";
    return e;
  }
  const auto info = ask_flash(fd.get(), name);
  if (!info) return info.error();
  TargetFacts facts;
  facts.kind = io::TargetKind::character;
  facts.size_bytes = size_bytes_of(name, *info);
  facts.block_bytes = std::max<std::uint32_t>(1, info->writesize);
  return facts;
}

base::Expected<void> prepare_mtd(const Setup& setup, CallContext& context) {
  auto all = std::make_unique<Flash>();
  all->skip_bad = setup.options.of<io::MtdOptions>().skip_bad;
  all->refusal = setup.job.refusal;
  for (const io::Target& target : setup.targets) {
    const auto info = ask_flash(target.fd, target.path);
    if (!info) return info.error();
    all->erase_bytes.push_back(std::max<std::uint32_t>(1, info->erasesize));
  }
  context.own = std::move(all);
  return {};
}

void say(std::span<char> text, std::string_view why) {
  if (text.empty()) return;
  *std::copy_n(why.begin(), std::min(why.size(), text.size() - 1), text.begin()) = 0;
}

// The part of a request that is in one erase block. 0 or -errno.
int part_io(const Flash& all, int fd, io::Dir dir, std::uint64_t at, std::uint32_t length, std::uint32_t erase_bytes,
            std::byte* buffer) {
  auto block_at = static_cast<loff_t>(at - at % erase_bytes);
  if (all.skip_bad) {
    const int bad = ::ioctl(fd, MEMGETBADBLOCK, &block_at);
    if (bad < 0 && errno != EOPNOTSUPP) return -errno;
    if (bad > 0) return say(all.refusal, "the erase block is marked as bad (skip_bad=1)"), -EIO;
  }
  if (dir == io::Dir::trim) {
    erase_info_user64 range{at, length};
    return ::ioctl(fd, MEMERASE64, &range) == 0 ? 0 : -errno;
  }
  const auto n = dir == io::Dir::read ? ::pread(fd, buffer, length, static_cast<off_t>(at))
                                      : ::pwrite(fd, buffer, length, static_cast<off_t>(at));
  if (n < 0) return -errno;
  return n == static_cast<ssize_t>(length) ? 0 : -EIO;
}

// All parts are done, also after one has failed; the first error is the result.
std::int32_t mtd_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const Flash& all = context.state<Flash>();
  const std::uint32_t erase_bytes = all.erase_bytes[request.target];
  if (request.dir == io::Dir::sync) return 0;
  if (request.dir == io::Dir::trim && (request.offset % erase_bytes != 0 || request.length % erase_bytes != 0)) {
    say(all.refusal, "a trim erases whole erase blocks: write bs=,,SIZE with the erase size of /proc/mtd");
    return -EINVAL;
  }
  int error = 0;
  for (std::uint32_t done = 0; done < request.length;) {
    const std::uint64_t at = request.offset + done;
    const auto length = std::min(request.length - done, erase_bytes - static_cast<std::uint32_t>(at % erase_bytes));
    const int part =
        part_io(all, context.targets[request.target].fd, request.dir, at, length, erase_bytes, buffer + done);
    if (error == 0) error = part;
    done += length;
  }
  return error == 0 ? static_cast<std::int32_t>(request.length) : error;
}

}  // namespace

const Calls mtd_calls{mtd_io, prepare_mtd};
const Targets mtd_targets{nullptr, look_at_mtd};

}  // namespace fathom::engine
