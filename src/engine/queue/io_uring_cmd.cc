// io_uring_cmd outside the hot path: examining the targets, setting up the ring, and waiting. See the header.
#include "engine/queue/io_uring_cmd.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/parts.h"
#include "engine/queue/nvme_zones.h"
#include "engine/queue/uring_setup.h"
#include "io/options/io_uring.h"
#include "io/zone.h"
#include "nvme/status.h"
#include "nvme/zoned.h"

namespace fathom::engine::queue {

base::Expected<void> UringCmdEngine::open(const Setup& setup) {
  close();
  fallbacks_.clear();
  if (rw_flags_of(setup.options) != 0) fallbacks_.push_back("nowait, uncached: NVMe commands do not have these flags");
  if (auto done = identify_all(setup); !done) return done;
  if (auto done = prepare_placement(setup); !done) return done;
  auto protection = Protection::make(setup.options.of<io::ProtectionOptions>(), namespaces_, setup.targets, setup.depth,
                                     setup.buffer_stride);
  if (!protection) return protection.error();
  protection_ = std::move(*protection);
  reaps_rare_ = protection_.checks();
  if (auto done = set_up(setup); !done) {
    close();
    return done;
  }
  refused_done_.open(setup.targets, setup.depth);
  return {};
}

base::Expected<void> UringCmdEngine::identify_all(const Setup& setup) {
  namespaces_.clear();
  fds_.clear();
  for (const io::Target& target : setup.targets) {
    auto ns = identify_(target.fd, target.path);
    if (!ns) return ns.error();
    if (ns->largest_bytes != 0 && setup.job.largest_bytes > ns->largest_bytes)
      return base::Error{
          base::ErrorKind::usage,
          fmt::format("io_uring_cmd: `{}` accepts at most {} bytes per command (MDTS)", target.path, ns->largest_bytes),
          "passthrough does not split requests, unlike the block layer",
          fmt::format("write `bs={}` or less, or use ioengine=io_uring on its block device", ns->largest_bytes),
          {},
          EINVAL};
    if (auto done = find_zones(setup, target, *ns); !done) return done;
    namespaces_.push_back(*ns);
    fds_.push_back(target.fd);
  }
  return {};
}

// write_mode=zone_append: the commands name the first block of a zone.
base::Expected<void> UringCmdEngine::find_zones(const Setup& setup, const io::Target& target, NvmeNamespace& ns) {
  const auto& modes = setup.options.of<io::NvmeCommandOptions>().write_modes;
  const auto appends = [](const auto& share) { return share.mode == io::WriteMode::zone_append; };
  if (std::ranges::none_of(modes, appends)) return {};
  auto zones = look_at_namespace_zones(target.fd, target.path);
  if (!zones) return zones.error();
  const std::uint64_t blocks = zones->zone_bytes >> ns.block_shift;
  if (std::has_single_bit(blocks)) {
    ns.zone_mask = ~(blocks - 1);
    return {};
  }
  base::Error e;
  e.kind = blocks == 0 ? base::ErrorKind::usage : base::ErrorKind::not_built;
  e.what = fmt::format("write_mode=zone_append on `{}`", target.path);
  e.cause = blocks == 0 ? "the namespace has no zones" : fmt::format("a zone has {} blocks, not a power of 2", blocks);
  e.help = "omit write_mode=zone_append";
  return e;
}

// Uses the first target, because all namespaces of a job are alike.
base::Expected<void> UringCmdEngine::prepare_placement(const Setup& setup) {
  const auto& own = setup.options.of<io::DataPlacementOptions>();
  std::vector<std::uint16_t> available;
  if (own.kind == io::Placement::fdp) {
    auto ids = read_placement_ids(fds_.front(), namespaces_.front(), setup.targets.front().path);
    if (!ids) return ids.error();
    available = std::move(*ids);
  }
  auto placement = DataPlacement::make(own, available);
  if (!placement) return placement.error();
  placement_ = std::move(*placement);
  return {};
}

base::Expected<void> UringCmdEngine::set_up(const Setup& setup) {
  io_uring_params params;
  if (auto done = set_up_ring(setup, IORING_SETUP_SQE128 | IORING_SETUP_CQE32, ring_, params, fallbacks_); !done) {
    if (done.error().sys_errno == EINVAL) done.error().cause = "NVMe passthrough needs Linux 5.19 or later";
    return done;
  }
  open_ = true;
  const auto& own = setup.options.of<io::IoUringOptions>();
  polled_by_thread_ = setup.options.kernel_submits;
  fixed_buffers_ = own.fixedbufs;
  force_unit_access_ = setup.options.sync_writes;
  sq_mask_ = params.sq_entries - 1;
  cq_mask_ = params.cq_entries - 1;
  sq_tail_ = *ring_.sq.ktail;
  posted_ = refused_ = 0;
  auto files = register_files(setup, ring_, fds_);
  if (!files) return files.error();
  if (fixed_buffers_)
    if (auto done = register_buffers(setup, ring_); !done) return done;
  const EnterBy by = register_ring(ring_, fallbacks_);
  enter_fd_ = by.fd;
  enter_flags_ = by.flags;
  slots_.assign(setup.depth, {});
  ranges_ = setup.job.trim_ranges;
  slot_ranges_.resize(ranges_ != nullptr ? setup.depth * ranges_->a_request() : 0);
  forced_async_ = AsyncCadence(own.force_async);
  base_flags_ = static_cast<std::uint8_t>((*files ? IOSQE_FIXED_FILE : 0) | (forced_async_.all() ? IOSQE_ASYNC : 0));
  priorities_ = RequestPriorities(setup.options.of<io::CmdprioOptions>());
  shaper_ = NvmeCommandShaper(setup.options.of<io::NvmeCommandOptions>(), setup.options.of<io::FuaOptions>());
  const bool special = priorities_.used() || forced_async_.some() || protection_.used();
  rare_ = {special || shaper_.shapes(io::Dir::read), special || placement_.used() || shaper_.shapes(io::Dir::write),
           true, true};
  for (std::uint32_t slot = 0; slot < setup.depth; ++slot) {
    io_uring_sqe& sqe = ring_.sq.sqes[slot << 1];
    std::memset(static_cast<void*>(&sqe), 0, 2 * sizeof sqe);
    sqe.opcode = IORING_OP_URING_CMD;
    sqe.cmd_op = NVME_URING_CMD_IO;
    sqe.flags = base_flags_;
    sqe.user_data = slot;
  }
  return {};
}

void UringCmdEngine::post_rare(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
  if (!is_whole(namespaces_[request.target], request)) return refuse_request(slot, request);
  if (request.dir == io::Dir::trim && (request.flags & io::kZoneTrimMask) != 0) return post_zone_trim(slot, request);
  auto command = nvme_command_for(namespaces_[request.target], request, buffer, slots_[slot].range, force_unit_access_);
  if (request.dir == io::Dir::trim && ranges_ != nullptr &&
      !trim_ranges_for(namespaces_[request.target], ranges_->take(), &slot_ranges_[slot * ranges_->a_request()],
                       command))
    return refuse(slot);
  const bool moves_data = request.dir == io::Dir::read || request.dir == io::Dir::write;
  if (moves_data && protection_.used())
    protection_.protect(namespaces_[request.target], slot, request, buffer, command);
  if (moves_data) shaper_.shape(request.dir, namespaces_[request.target].zone_mask, command);
  if (placement_.used() && request.dir == io::Dir::write) placement_.place(request.offset, command);
  io_uring_sqe& sqe = ring_.sq.sqes[slot << 1];
  sqe.ioprio = priorities_.of(request);
  sqe.flags = static_cast<std::uint8_t>(base_flags_ | (forced_async_.next() ? IOSQE_ASYNC : 0));
  put_command(sqe, fds_[request.target], command, fixed_buffers_ && command.data_len != 0 && moves_data,
              static_cast<std::uint16_t>(slot));
  push(slot);
}

// A zone without data needs no command.
void UringCmdEngine::post_zone_trim(std::uint32_t slot, const io::Request& request) {
  if ((request.flags & io::kUnwrittenZone) != 0) return end_now(slot, static_cast<std::int32_t>(request.length));
  const NvmeNamespace& ns = namespaces_[request.target];
  const std::uint64_t lba = request.offset >> ns.block_shift;
  nvme_uring_cmd command{};
  command.opcode = static_cast<std::uint8_t>(nvme::ZonedOpcode::zone_management_send);
  command.nsid = ns.nsid;
  command.cdw10 = static_cast<std::uint32_t>(lba);
  command.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  command.cdw13 = nvme::kResetZone;
  io_uring_sqe& sqe = ring_.sq.sqes[slot << 1];
  sqe.flags = base_flags_;
  put_command(sqe, fds_[request.target], command, false, 0);
  push(slot);
}

void UringCmdEngine::refuse_request(std::uint32_t slot, const io::Request& request) {
  if (request.dir == io::Dir::trim && ranges_ != nullptr) ranges_->take();
  refuse(slot);
}

// A read fails if its metadata differs from the metadata written.
int UringCmdEngine::reap_rare(unsigned min, std::span<io::Completion> out) {
  std::size_t n = refused_done_.has_done() ? refused_done_.take(out) : 0;
  reaps_rare_ = protection_.checks() || refused_done_.has_done();
  n += drain(out.subspan(n));
  if (n < std::max(min, 1u) && n < out.size()) {
    const int waited = reap_waiting(min, n, out);
    if (waited < 0) return waited;
    n = static_cast<std::size_t>(waited);
  }
  for (auto& completion : out.first(protection_.checks() ? n : 0))
    if (completion.result > 0 && protection_.is_wrong(completion.slot)) completion.result = -EILSEQ;
  return static_cast<int>(n);
}

// The kernel's thread takes the SQEs itself, unless it sleeps.
int UringCmdEngine::wake_thread() {
  // Full fence: either this thread sees the sleep flag, or the kernel's thread sees the new tail before it sleeps.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const unsigned flags = std::atomic_ref(*ring_.sq.kflags).load(std::memory_order_relaxed);
  if (flags & IORING_SQ_NEED_WAKEUP)
    if (const int rc = enter(posted_, 0, IORING_ENTER_SQ_WAKEUP); rc < 0) return rc;
  return static_cast<int>(posted_);
}

int UringCmdEngine::reap_waiting(unsigned min, std::size_t n, std::span<io::Completion> out) {
  const std::size_t wanted = std::min<std::size_t>(min, out.size());
  for (;;) {
    const unsigned missing = wanted > n ? static_cast<unsigned>(wanted - n) : 0;
    if (const int rc = enter(0, missing, IORING_ENTER_GETEVENTS); rc < 0) return n ? static_cast<int>(n) : rc;
    n += drain(out.subspan(n));
    if (n >= wanted) return static_cast<int>(n);
  }
}

std::string UringCmdEngine::explain(std::uint32_t slot) const {
  const std::uint16_t status = slots_[slot].status;
  return status == 0 ? "" : nvme::status_text(status);
}

void UringCmdEngine::close() {
  if (!open_) return;
  io_uring_queue_exit(&ring_);
  open_ = false;
}

}  // namespace fathom::engine::queue

namespace fathom::engine {

using namespace queue;

std::unique_ptr<BatchEngine> make_io_uring_cmd() { return std::make_unique<Batched<UringCmdEngine>>(); }

}  // namespace fathom::engine
