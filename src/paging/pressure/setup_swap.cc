// Our own swap: a zram device (admin-guide/blockdev/zram.rst), a file, a block device.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/unit_text.h"
#include "host/mount_table.h"
#include "host/proc_text.h"
#include "paging/pressure/own_swap.h"
#include "paging/pressure/setup.h"
#include "paging/pressure/swap_header.h"
#include "paging/pressure/undo.h"

namespace fathom::paging {
namespace {

constexpr const char* kHotAdd = "/sys/class/zram-control/hot_add";
constexpr const char* kLabel = "fathom";

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

base::Error with_help(base::Error error, std::string help) {
  error.help = std::move(help);
  return error;
}

// "/var/tmp/../x" -> "/var/x": the folder's own name, so that the kernel's and ours are the same text.
std::optional<std::string> own_name(Machine& machine, const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto real = machine.real_path(folder);
  if (!real || name.empty() || name == "." || name == "..") return std::nullopt;
  return (*real == "/" ? "" : *real) + "/" + name;
}

std::string file_system_of(Machine& machine, const std::string& path) {
  const auto mounts = host::parse_mountinfo(machine.read("/proc/self/mountinfo").value_or(""));
  const host::Mount* mount = host::mount_holding(mounts, path);
  return mount == nullptr ? "unknown" : mount->file_system;
}

}  // namespace

base::Expected<void> Setup::check_swap() {
  using Kind = SwapPlan::Kind;
  if (swap_again()) return {};
  if (plan_.swap.kind == Kind::zram) return check_zram();
  if (plan_.swap.kind == Kind::file) {
    const auto path = path_of_new_file();
    return path ? machine_.may_make_file(*path, plan_.swap.size_bytes) : base::Expected<void>(path.error());
  }
  if (plan_.swap.kind != Kind::device || active_swap_at(machine_, plan_.swap.path)) return {};
  const auto id = device_to_use(machine_.real_path(plan_.swap.path).value_or(plan_.swap.path));
  return id ? base::Expected<void>() : base::Expected<void>(id.error());
}

// Which compressors there are only a zram device says: any one does.
base::Expected<void> Setup::check_zram() {
  if (!machine_.exists(kHotAdd)) {
    return base::Error{base::ErrorKind::privilege,
                       "no zram here",
                       std::string(kHotAdd) + " is missing",
                       "load it with: modprobe zram; or use --swap file:PATH:SIZE",
                       {},
                       0};
  }
  if (plan_.swap.compressor.empty()) return {};
  for (const int id : zram_ids(machine_)) {
    const std::string offered = read_value(machine_, fmt::format("/sys/block/zram{}/comp_algorithm", id)).value_or("");
    if (offered.empty()) continue;
    for (const auto word : host::split_words(offered)) {
      if (word == plan_.swap.compressor || word == "[" + plan_.swap.compressor + "]") return {};
    }
    return base::Error{base::ErrorKind::usage,
                       fmt::format("zram cannot compress with {}", plan_.swap.compressor),
                       "",
                       "this kernel has: " + offered,
                       {},
                       0};
  }
  return {};
}

base::Expected<void> Setup::make_zram() {
  const SwapUuid uuid = random_uuid();
  const auto id = add_zram(uuid_hex(uuid));
  if (!id) return id.error();
  const std::string sysfs = fmt::format("/sys/block/zram{}", *id), device = fmt::format("/dev/zram{}", *id);
  made_.swap_path = device;
  if (auto written = journal_.record(Action::asked, {device, asked_words(plan_.swap)}); !written) return written;
  if (auto chosen = choose_compressor(*id); !chosen) return chosen;
  const std::uint64_t size_bytes = plan_.swap.size_bytes / page_bytes() * page_bytes();
  if (const int err = machine_.write(sysfs + "/disksize", std::to_string(size_bytes))) {
    return with_help(base::system_error(fmt::format("{}: {} cannot be had", device, base::size_words(size_bytes)), err),
                     "ask for less");
  }
  const auto page = swap_page(size_bytes, page_bytes(), uuid, kLabel);
  if (const int err = while_busy(machine_, [&] { return machine_.write_page(device, page); }))
    return base::system_error(device + ": writing the swap header", err);
  return swap_on(device);
}

// The number is known only when the device is there: the intent names those that were there before.
base::Expected<int> Setup::add_zram(const std::string& uuid) {
  const base::UniqueFd lock = lock_state(machine_, state_);
  const auto before = id_list(zram_ids(machine_));
  if (auto written = journal_.record(Action::zram_intent, {before, std::to_string(machine_.now_ns())}); !written) {
    return written.error();
  }
  const auto text = read_value(machine_, kHotAdd);
  int id = -1;
  if (text) std::from_chars(text->data(), text->data() + text->size(), id);
  if (id < 0) {
    return base::Error{base::ErrorKind::io,
                       "no further zram device could be had",
                       kHotAdd,
                       "see the kernel's log (dmesg), or use --swap file:PATH:SIZE",
                       {},
                       0};
  }
  const auto node = machine_.identify(fmt::format("/dev/zram{}", id));
  const std::uint64_t born = node ? node->birth_ns : 0;
  if (auto written = journal_.record(Action::zram, {std::to_string(id), std::to_string(born), uuid}); !written) {
    return written.error();
  }
  return id;
}

base::Expected<void> Setup::choose_compressor(int id) {
  if (plan_.swap.compressor.empty()) return {};
  const std::string file = fmt::format("/sys/block/zram{}/comp_algorithm", id);
  const std::string offered = read_value(machine_, file).value_or("");
  if (const int err = machine_.write(file, plan_.swap.compressor)) {
    auto error = base::system_error(fmt::format("zram cannot compress with {}", plan_.swap.compressor), err);
    error.kind = base::ErrorKind::usage;
    error.help = "this kernel has: " + offered;
    return error;
  }
  return {};
}

base::Expected<std::string> Setup::path_of_new_file() {
  const auto path = own_name(machine_, plan_.swap.path);
  if (!path) {
    return base::Error{base::ErrorKind::usage,
                       plan_.swap.path + ": its folder does not exist",
                       "",
                       "name a new file in a folder that is there",
                       {},
                       0};
  }
  if (auto left = check_own_left(*path); !left) return left.error();
  if (const auto id = machine_.identify(*path)) {
    const bool block = S_ISBLK(id->mode);
    return base::Error{base::ErrorKind::usage,
                       *path + ": is there already",
                       block
                           ? "it is a block device"
                           : "a swap file is made for the run and removed after it; what is there is never overwritten",
                       block ? "write --swap dev:" + *path
                             : "name a file that does not exist, or turn it on with swapon and use --swap current",
                       {},
                       0};
  }
  return *path;
}

base::Expected<void> Setup::make_swap_file() {
  const auto path = path_of_new_file();
  if (!path) return path.error();
  const std::uint64_t size_bytes = plan_.swap.size_bytes / page_bytes() * page_bytes();
  const auto page = swap_page(size_bytes, page_bytes(), random_uuid(), kLabel);
  const auto file = machine_.make_file(*path, size_bytes, page, stop_);
  if (!file) return file.error();
  const FileId& id = file->id;
  const std::vector<std::string> fields = {*path, std::to_string(id.device), std::to_string(id.inode),
                                           std::to_string(id.size_bytes)};
  if (auto written = journal_.record(Action::file, fields); !written) return written;
  if (auto asked = journal_.record(Action::asked, {*path, asked_words(plan_.swap)}); !asked) return asked;
  if (const int err = machine_.name_file(*file, *path))
    return base::system_error(*path + ": making the swap file", err);
  made_.swap_path = *path;
  return swap_on(*path);
}

base::Expected<FileId> Setup::device_to_use(const std::string& path) {
  const auto id = machine_.identify(path);
  if (!id || !S_ISBLK(id->mode)) {
    return base::Error{base::ErrorKind::usage,
                       plan_.swap.path + (id ? ": not a block device" : ": does not exist"),
                       "",
                       id ? "write --swap file:PATH:SIZE for a file" : "name a block device such as /dev/nvme0n1p3",
                       {},
                       0};
  }
  if (auto free = machine_.may_claim(path); !free) return free.error();
  if (auto allowed = machine_.may_overwrite(path, plan_.allow_destructive); !allowed) return allowed.error();
  const std::uint64_t size_bytes = block_device_bytes(machine_, path);
  if (size_bytes >= kSwapPagesMin * page_bytes()) return *id;
  return base::Error{base::ErrorKind::usage,
                     fmt::format("{}: {} is too small for swap", path, base::size_words(size_bytes)),
                     "",
                     "name a larger device",
                     {},
                     0};
}

// A header that is there already is kept, and with it the UUID that an fstab may name; ours is wiped at the end.
base::Expected<void> Setup::use_device() {
  const std::string path = machine_.real_path(plan_.swap.path).value_or(plan_.swap.path);
  const auto id = device_to_use(path);
  if (!id) return id.error();
  const std::uint64_t size_bytes = block_device_bytes(machine_, path);
  const auto header = parse_swap_page(machine_.read_page(path));
  const bool keep = header && header->pages <= size_bytes / page_bytes();
  const SwapUuid uuid = random_uuid();
  const std::string mark = keep ? "keep" : uuid_hex(uuid);
  if (auto written = journal_.record(Action::device, {path, std::to_string(id->rdev), mark}); !written) return written;
  if (!keep) {
    const auto page = swap_page(size_bytes, page_bytes(), uuid, kLabel);
    const int err = while_busy(machine_, [&] { return machine_.write_page(path, page); });
    if (err != 0) return base::system_error(path + ": writing the swap header", err);
  }
  made_.swap_path = path;
  return swap_on(path);
}

base::Expected<void> Setup::swap_on(const std::string& path) {
  const int err = while_busy(machine_, [&] { return machine_.swap_on(path, kSwapPriority); });
  if (err == 0) return {};
  auto error = base::system_error("swapon " + path, err);
  if (err == EINVAL) {
    error.kind = base::ErrorKind::usage;
    error.cause = fmt::format("its file system ({}) or device cannot hold swap", file_system_of(machine_, path));
    error.help = "name a file on ext4, xfs or btrfs, or use --swap zram:SIZE";
  } else if (err == EPERM) {
    error.help = "run as root; in a container, with CAP_SYS_ADMIN";
  }
  return error;
}

}  // namespace fathom::paging
