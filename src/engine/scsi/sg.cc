// sg: sends SCSI commands through the kernel's driver. For a block device, a command is one blocking call (SG_IO). For
// a character device (/dev/sgN), the command is written and its answer read. The engine therefore opens the device
// again for reading and writing.
#include <fcntl.h>
#include <fmt/format.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system/fd.h"
#include "engine/parts.h"
#include "engine/scsi/scsi_commands.h"
#include "engine/scsi/scsi_sense.h"
#include "io/options/hipri.h"

namespace fathom::engine {
namespace {

constexpr unsigned kTimeout_ms = 30'000;
constexpr unsigned kPolled = 0x800;  // SGV4_FLAG_HIPRI, which older headers lack

struct Device {
  base::system::UniqueFd own;  // for a character device
  std::uint32_t block_bytes = 512;
};
struct Devices : CallState {
  std::vector<Device> devices;  // one per target
  io::SgOptions sg;
  io::FuaOptions fua;
  bool polled = false;
  std::span<char> refusal;                // receives the reason why a command failed
  io::TrimRanges* trim_ranges = nullptr;  // num_range
  scsi::UnmapParameters unmap{};          // the parameters of the current trim
};

struct Passed {
  int rc = 0;        // or -errno
  int residual = 0;  // data bytes that were not transferred
  bool answered = false;
  scsi::ScsiAnswer answer;
  unsigned char sense[64] = {};
};

// Reads the answer of a command that was written. A signal does not lose it.
bool read_answer(int fd, sg_io_hdr_t& header) {
  ssize_t n;
  do n = ::read(fd, &header, sizeof header);
  while (n < 0 && errno == EINTR);
  return n >= 0;
}

void pass(Passed& out, int fd, bool by_writing, scsi::ScsiCommand& command, void* data, bool polled) {
  constexpr int kWays[] = {SG_DXFER_NONE, SG_DXFER_FROM_DEV, SG_DXFER_TO_DEV};
  sg_io_hdr_t header{};
  header.interface_id = 'S';
  header.cmdp = command.bytes.data();
  header.cmd_len = command.length;
  header.dxfer_direction = kWays[static_cast<std::size_t>(command.data)];
  header.dxferp = command.data == scsi::ScsiData::none ? nullptr : data;
  header.dxfer_len = command.data_bytes;
  header.sbp = out.sense;
  header.mx_sb_len = sizeof out.sense;
  header.timeout = kTimeout_ms;
  header.flags = polled ? kPolled : 0;
  out.answered = by_writing ? ::write(fd, &header, sizeof header) >= 0 && read_answer(fd, header)
                            : ::ioctl(fd, SG_IO, &header) == 0;
  if (!out.answered) {
    out.rc = -errno;
    return;
  }
  out.residual = header.resid;
  out.answer = {{out.sense, header.sb_len_wr}, header.status, header.host_status};
  if ((header.info & SG_INFO_OK_MASK) != SG_INFO_OK) out.rc = -EIO;
}

void say_why(std::span<char> text, const scsi::ScsiCommand& command, const Passed& passed) {
  if (passed.answered) return scsi::say_refused(text, command, passed.answer);
  const bool of_size = passed.rc == -ENOMEM || passed.rc == -EINVAL || passed.rc == -EIO;
  if (text.empty() || command.data_bytes == 0 || !of_size) return;
  *fmt::format_to_n(
       text.data(), text.size() - 1,
       FMT_STRING("the kernel did not pass on a command of {} bytes: lower bs=; the limits are "
                  "queue/max_hw_sectors_kb of the disk in /sys/block, and the largest contiguous free memory"),
       command.data_bytes)
       .out = 0;
}

base::Error no_capacity(const std::string& name, const scsi::ScsiCommand& command, const Passed& passed) {
  auto e = base::system_error(fmt::format("`{}`: READ CAPACITY", name), -passed.rc);
  e.cause = "the target is not a SCSI disk, or this user may not send it commands";
  if (passed.answered) {
    char text[200] = {};
    scsi::say_refused(text, command, passed.answer);
    e.cause = text;
  }
  e.help = "name a SCSI disk (/dev/sdX) or its generic device (/dev/sgN), as root";
  return e;
}

base::Expected<scsi::ScsiCapacity> ask_capacity(const std::string& name) {
  const base::system::UniqueFd fd(::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    auto e = base::system_error("open `" + name + "`", errno);
    e.help = "run as a user with permission to read it";
    return e;
  }
  scsi::ScsiCommand command = scsi::read_capacity();
  std::array<std::uint8_t, 32> data{};
  // The first command after a reset or a change is answered with that event (UNIT ATTENTION), so it is repeated.
  for (int tries = 3;; --tries) {
    Passed passed;
    pass(passed, fd.get(), false, command, data.data(), false);
    if (passed.rc == 0) return scsi::capacity_of(data);
    if (tries > 1 && passed.answered && scsi::sense_key(passed.answer.sense) == scsi::SenseKey::unit_attention)
      continue;
    return no_capacity(name, command, passed);
  }
}

base::Expected<TargetFacts> look_at_sg(const std::string& name, const io::EngineOptions&) {
  struct stat st;
  if (::stat(name.c_str(), &st) != 0) {
    auto e = base::system_error("look at `" + name + "`", errno);
    e.help = "name a SCSI disk (/dev/sdX) or its generic device (/dev/sgN): ioengine=sg needs one";
    return e;
  }
  const auto capacity = ask_capacity(name);
  if (!capacity) return capacity.error();
  TargetFacts facts;
  facts.kind = S_ISBLK(st.st_mode) ? io::TargetKind::block : io::TargetKind::character;
  facts.size_bytes = capacity->blocks * capacity->block_bytes;
  facts.block_bytes = capacity->block_bytes;
  return facts;
}

base::Expected<void> prepare_sg(const Setup& setup, CallContext& context) {
  auto all = std::make_unique<Devices>();
  all->sg = setup.options.of<io::SgOptions>();
  all->fua = setup.options.of<io::FuaOptions>();
  all->polled = setup.options.of<io::HipriOptions>().hipri;
  all->refusal = setup.job.refusal;
  all->trim_ranges = setup.job.trim_ranges;
  for (const io::Target& target : setup.targets) {
    Device device;
    const auto capacity = ask_capacity(target.path);
    if (!capacity) return capacity.error();
    device.block_bytes = capacity->block_bytes;
    if (target.kind == io::TargetKind::character) {
      device.own.reset(::open(target.path.c_str(), O_RDWR | O_CLOEXEC));
      if (!device.own) return base::system_error("open `" + target.path + "` for reading and writing", errno);
    }
    all->devices.push_back(std::move(device));
  }
  context.own = std::move(all);
  return {};
}

bool in_whole_blocks(std::span<const io::Range> ranges, std::uint32_t block_bytes) {
  return std::all_of(ranges.begin(), ranges.end(),
                     [=](const auto& r) { return r.offset % block_bytes == 0 && r.length % block_bytes == 0; });
}

std::int32_t sg_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  Devices& all = context.state<Devices>();
  const Device& device = all.devices[request.target];
  const bool trims = request.dir == io::Dir::trim;
  const io::Range one{request.offset, request.length};
  const auto ranges = trims && all.trim_ranges != nullptr ? all.trim_ranges->take() : std::span(&one, 1);
  if (!in_whole_blocks(ranges, device.block_bytes)) return -EINVAL;
  scsi::ScsiCommand command =
      trims ? scsi::unmap_command(ranges.size()) : scsi::scsi_command(request, device.block_bytes, all.sg, all.fua);
  if (trims) scsi::put_ranges(all.unmap, ranges, device.block_bytes);
  void* const data = trims ? static_cast<void*>(all.unmap.data()) : buffer;
  const bool by_writing = static_cast<bool>(device.own);
  Passed passed;
  pass(passed, by_writing ? device.own.get() : context.targets[request.target].fd, by_writing, command, data,
       all.polled && command.moves_data);
  if (passed.rc != 0) {
    say_why(all.refusal, command, passed);
    return passed.rc;
  }
  const auto whole = static_cast<std::int32_t>(request.length);
  return command.moves_data ? whole - passed.residual : whole;
}

}  // namespace

const Calls sg_calls{sg_io, prepare_sg};
const Targets sg_targets{nullptr, look_at_sg};

}  // namespace fathom::engine
