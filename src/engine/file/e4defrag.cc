// e4defrag: a write exchanges the extents of its block with those of a donor file (EXT4_IOC_MOVE_EXT). The donor's
// space is reserved once for all requests. With inplace=1 it is reserved for each request and released after it.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system/fd.h"
#include "engine/file_ops.h"
#include "engine/parts.h"
#include "io/options/e4defrag.h"

namespace fathom::engine {
namespace {

// From the kernel's fs/ext4/ext4.h, which is not a header for programs.
struct MoveExtent {
  std::uint32_t reserved, donor_fd;
  std::uint64_t from_block, donor_block, blocks, moved_blocks;
};
constexpr unsigned long kMoveExtent = _IOWR('f', 15, MoveExtent);

struct Donor : CallState {
  base::system::UniqueFd fd;
  std::uint64_t block_bytes = 4096;
  bool inplace = false;
};

// A name without a directory refers to the directory of the file. In this way, all such names belong to directory=.
std::string donor_beside(const std::string& name, const std::string& first) {
  const auto slash = first.rfind('/');
  return name[0] != '/' && slash != std::string::npos ? first.substr(0, slash + 1) + name : name;
}

std::vector<FileBeside> donor_file(const io::EngineOptions& options, const std::string&,
                                   std::span<const std::string> targets) {
  return {{donor_beside(options.of<io::E4defragOptions>().donor, targets.empty() ? "" : targets[0]), true}};
}

base::Expected<void> prepare_e4defrag(const Setup& setup, CallContext& context) {
  const auto& options = setup.options.of<io::E4defragOptions>();
  auto donor = std::make_unique<Donor>();
  donor->inplace = options.inplace;
  const std::string path = donor_beside(options.donor, setup.targets.empty() ? "" : setup.targets[0].path);
  donor->fd.reset(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  if (!donor->fd) return base::system_error("open donorname=" + path, errno);
  struct stat st;
  if (::fstat(donor->fd.get(), &st) != 0) return base::system_error("stat donorname=" + path, errno);
  donor->block_bytes = static_cast<std::uint64_t>(st.st_blksize);
  std::uint64_t most = 0;
  for (const io::Target& target : setup.targets) most = std::max(most, target.size);
  if (!donor->inplace && ::fallocate(donor->fd.get(), 0, 0, static_cast<off_t>(most)) != 0)
    return base::system_error("reserve the space of donorname=" + path, errno);
  context.own = std::move(donor);
  return {};
}

std::int32_t e4defrag_io(CallContext& context, const io::Request& request, std::byte*) {
  const Donor& donor = context.state<Donor>();
  const int fd = context.targets[request.target].fd;
  if (request.dir == io::Dir::sync) return sync_file(fd, request);
  if (request.dir != io::Dir::write) return -EINVAL;
  const auto offset = static_cast<off_t>(request.offset), length = static_cast<off_t>(request.length);
  if (donor.inplace && ::fallocate(donor.fd.get(), 0, offset, length) != 0) return -errno;
  const std::uint64_t end = request.offset + request.length;
  const std::uint64_t from = request.offset / donor.block_bytes;
  MoveExtent move{0,
                  static_cast<std::uint32_t>(donor.fd.get()),
                  from,
                  from,
                  (end + donor.block_bytes - 1) / donor.block_bytes - from,
                  0};
  const int err = ::ioctl(fd, kMoveExtent, &move) == 0 ? 0 : errno;
  if (donor.inplace && ::ftruncate(donor.fd.get(), 0) != 0) return -errno;
  if (err != 0) return -err;
  return static_cast<std::int32_t>(std::min<std::uint64_t>(move.moved_blocks * donor.block_bytes, request.length));
}

}  // namespace

const Calls e4defrag_calls{e4defrag_io, prepare_e4defrag, nullptr, nullptr, donor_file};

}  // namespace fathom::engine
