// ioengine=libiscsi: disks of an iSCSI target, by libiscsi's asynchronous calls. A queue has a session per disk.
//
// A read is READ(16), a write WRITE(16), with FUA if it must be durable, a trim UNMAP, a sync SYNCHRONIZE CACHE(10) of the
// whole disk. libiscsi logs in again when a connection is lost, and repeats the commands, which would hide the loss. So
// the engine turns that off.
// Source: libiscsi's iscsi.h; SBC-3 (commands), SPC-4 (INQUIRY, MODE SENSE, sense data).
#include <fathom_engine.h>
#include <poll.h>

#include <iscsi/iscsi.h>
#include <iscsi/scsi-lowlevel.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "ended.h"
#include "said.h"

namespace {

using fathom::plugins::say;

constexpr int kAnswer_s = 10;                               // of a call that opens or looks
constexpr unsigned kWriteProtected = 0x80, kCanFua = 0x10;  // bits of MODE SENSE's device-specific parameter
constexpr int kSpaceIsUsedUp = 0x2707;                      // sense code SPACE ALLOCATION FAILED WRITE PROTECT

struct DestroyContext {
  void operator()(iscsi_context* context) const { iscsi_destroy_context(context); }
};
struct DestroyUrl {
  void operator()(iscsi_url* url) const { iscsi_destroy_url(url); }
};
struct FreeTask {
  void operator()(scsi_task* task) const { scsi_free_scsi_task(task); }
};
using Context = std::unique_ptr<iscsi_context, DestroyContext>;
using Task = std::unique_ptr<scsi_task, FreeTask>;

void say_last(fathom_error& error, iscsi_context* context, const char* help) {
  const char* const text = iscsi_get_error(context);
  say(error, 0, text != nullptr && *text != 0 ? text : "libiscsi gave no cause", help);
}

const char* initiator_of(const fathom_open& asked) {
  for (std::uint32_t i = 0; i < asked.option_count; ++i)
    if (std::strcmp(asked.options[i].name, "initiator") == 0) return asked.options[i].value;
  return "iqn.2019-04.org.fio:fio";
}

// A disk of a target, with the session to it.
struct Disk {
  Context context;
  int lun = 0;
  int block_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t physical_bytes = 0;
  bool provisions = false;  // it may have blocks without space (LBPME)
  bool lost = false;
  char about[64] = {};
};

void log_out(Disk& disk) {
  if (disk.context == nullptr || disk.lost) return;
  iscsi_set_timeout(disk.context.get(), kAnswer_s);
  iscsi_logout_sync(disk.context.get());
}

// The data of a command that succeeded; otherwise nullptr.
template <class Data>
const Data* data_of(const Task& task) {
  if (task == nullptr || task->status != SCSI_STATUS_GOOD) return nullptr;
  return static_cast<const Data*>(scsi_datain_unmarshall(task.get()));
}

std::string_view trimmed(const char* text) {
  std::string_view all(text);
  while (all.ends_with(' ')) all.remove_suffix(1);
  return all;
}

bool is_disk(Disk& disk, fathom_error& error) {
  constexpr int kInquiry_bytes = 255;
  const Task task(iscsi_inquiry_sync(disk.context.get(), disk.lun, 0, 0, kInquiry_bytes));
  const auto* const inquiry = data_of<scsi_inquiry_standard>(task);
  if (inquiry == nullptr) return say_last(error, disk.context.get(), ""), false;
  if (inquiry->device_type != SCSI_INQUIRY_PERIPHERAL_DEVICE_TYPE_DIRECT_ACCESS ||
      inquiry->qualifier != SCSI_INQUIRY_PERIPHERAL_QUALIFIER_CONNECTED) {
    char cause[128];
    std::snprintf(cause, sizeof cause, "LUN %d is not a disk: %s", disk.lun, scsi_devtype_to_str(inquiry->device_type));
    say(error, ENODEV, cause,
        "end the URL with the LUN of a disk: LUN 0 of tgt is its controller, disks begin at LUN 1");
    return false;
  }
  const auto vendor = trimmed(inquiry->vendor_identification), product = trimmed(inquiry->product_identification);
  std::snprintf(disk.about, sizeof disk.about, "%.*s %.*s", static_cast<int>(vendor.size()), vendor.data(),
                static_cast<int>(product.size()), product.data());
  return true;
}

bool read_capacity(Disk& disk, fathom_error& error) {
  const Task task(iscsi_readcapacity16_sync(disk.context.get(), disk.lun));
  const auto* const capacity = data_of<scsi_readcapacity16>(task);
  if (capacity == nullptr) return say_last(error, disk.context.get(), ""), false;
  if (capacity->block_length == 0) return say(error, EIO, "the target names a block of 0 bytes", ""), false;
  disk.block_bytes = static_cast<int>(capacity->block_length);
  disk.size_bytes = (capacity->returned_lba + 1) * capacity->block_length;
  disk.physical_bytes = capacity->block_length << capacity->lbppbe;
  disk.provisions = capacity->lbpme != 0;
  return true;
}

// False: see `error`.
bool log_in(Disk& disk, const char* target, const char* initiator, fathom_error& error) {
  constexpr const char* kHelp = "write filename=iscsi://HOST:PORT/TARGET/LUN, with USER%PASSWORD@ before HOST for CHAP";
  disk.context.reset(iscsi_create_context(initiator));
  iscsi_context* const context = disk.context.get();
  if (context == nullptr)
    return say(error, EINVAL, "libiscsi refuses the name of the initiator", "set initiator="), false;
  iscsi_set_noautoreconnect(context, 1);
  iscsi_set_timeout(context, kAnswer_s);
  const std::unique_ptr<iscsi_url, DestroyUrl> url(iscsi_parse_full_url(context, target));
  if (url == nullptr) return say_last(error, context, kHelp), false;
  if (iscsi_set_targetname(context, url->target) != 0 || iscsi_set_session_type(context, ISCSI_SESSION_NORMAL) != 0)
    return say_last(error, context, kHelp), false;
  if (url->user[0] != 0 && iscsi_set_initiator_username_pwd(context, url->user, url->passwd) != 0)
    return say_last(error, context, kHelp), false;
  disk.lun = url->lun;
  if (iscsi_full_connect_sync(context, url->portal, url->lun) != 0) return say_last(error, context, kHelp), false;
  return is_disk(disk, error) && read_capacity(disk, error);
}

// What the disk can do. A command that it does not know means that it cannot.
std::uint32_t abilities(Disk& disk) {
  constexpr int kMost_bytes = 255;
  std::uint32_t can = FATHOM_CAN_WRITE | FATHOM_CAN_SYNC | FATHOM_KEEPS_DATA | FATHOM_COPIES;
  const Task sense(iscsi_modesense6_sync(disk.context.get(), disk.lun, 0, SCSI_MODESENSE_PC_CURRENT,
                                         SCSI_MODEPAGE_RETURN_ALL_PAGES, 0, kMost_bytes));
  if (const auto* const mode = data_of<scsi_mode_sense>(sense); mode != nullptr) {
    if ((mode->device_specific_parameter & kWriteProtected) != 0) can &= ~static_cast<std::uint32_t>(FATHOM_CAN_WRITE);
    if ((mode->device_specific_parameter & kCanFua) != 0) can |= FATHOM_CAN_DURABLE;
  }
  const Task page(iscsi_inquiry_sync(disk.context.get(), disk.lun, 1, SCSI_INQUIRY_PAGECODE_LOGICAL_BLOCK_PROVISIONING,
                                     kMost_bytes));
  const auto* const provisioning = data_of<scsi_inquiry_logical_block_provisioning>(page);
  if (disk.provisions && provisioning != nullptr && provisioning->lbpu != 0) can |= FATHOM_CAN_TRIM;
  return can;
}

std::uint64_t largest_request(Disk& disk) {
  constexpr int kMost_bytes = 255;
  const Task page(iscsi_inquiry_sync(disk.context.get(), disk.lun, 1, SCSI_INQUIRY_PAGECODE_BLOCK_LIMITS, kMost_bytes));
  const auto* const limits = data_of<scsi_inquiry_block_limits>(page);
  return limits == nullptr ? 0 : std::uint64_t{limits->max_xfer_len} * static_cast<std::uint64_t>(disk.block_bytes);
}

int look_at(const fathom_open* asked, fathom_facts* facts, fathom_error* error) {
  Disk disk;
  if (!log_in(disk, asked->targets[0], initiator_of(*asked), *error)) {
    log_out(disk);
    return -EIO;
  }
  facts->size_bytes = disk.size_bytes;
  facts->block_bytes = static_cast<std::uint32_t>(disk.block_bytes);
  facts->preferred_bytes = disk.physical_bytes;
  facts->largest_bytes = largest_request(disk);
  facts->can = abilities(disk);
  std::snprintf(facts->about, sizeof facts->about, "libiscsi, target %s", disk.about);
  log_out(disk);
  return 0;
}

// Why a command failed, for explain().
struct Failure {
  int status = SCSI_STATUS_GOOD;
  int key = 0, code = 0;  // sense data
};

struct Slot {
  fathom_queue* queue = nullptr;
  Disk* disk = nullptr;
  scsi_iovec data = {};
  std::uint32_t slot = 0;
  std::int32_t moved = 0;  // result without an error
  bool moves_data = false;
  bool in_flight = false;
  Failure failure;
};

}  // namespace

struct fathom_queue {
  explicit fathom_queue(const fathom_open& asked)
      : slots(asked.depth),
        ended(asked.depth),
        polled(asked.target_count),
        stop(asked.stop),
        disks(asked.target_count) {}

  std::vector<Slot> slots;
  fathom::plugins::Ended ended;
  std::vector<pollfd> polled;
  std::uint32_t in_flight = 0;
  int fua = 0;  // of each write
  const std::uint32_t* stop;
  std::vector<Disk> disks;  // last member: their end calls finished() for what is in flight
};

namespace {

void end(Slot& slot, std::int32_t result) {
  if (!slot.in_flight) return;  // the connection was lost before
  slot.in_flight = false;
  --slot.queue->in_flight;
  slot.queue->ended.add(slot.slot, result);
}

int errno_of(const Failure& failure) {
  if (failure.status != SCSI_STATUS_CHECK_CONDITION)
    return failure.status == SCSI_STATUS_RESERVATION_CONFLICT ? EBADE : EIO;
  switch (failure.key) {
    case SCSI_SENSE_ILLEGAL_REQUEST:
      return EINVAL;
    case SCSI_SENSE_DATA_PROTECTION:
      return failure.code == kSpaceIsUsedUp ? ENOSPC : EROFS;
    default:
      return EIO;
  }
}

std::int32_t result_of(Slot& slot, int status, const scsi_task* task) {
  if (status == SCSI_STATUS_GOOD) {
    // tgt reports that nothing of the list of ranges arrived, and unmaps them.
    const bool is_short = slot.moves_data && task != nullptr && task->residual_status == SCSI_RESIDUAL_UNDERFLOW;
    return is_short ? slot.moved - static_cast<std::int32_t>(task->residual) : slot.moved;
  }
  if (status == SCSI_STATUS_CANCELLED || status == SCSI_STATUS_ERROR || status == SCSI_STATUS_TIMEOUT) {
    slot.disk->lost = true;
    return -ENOTCONN;
  }
  slot.failure = {status, task != nullptr ? task->sense.key : 0, task != nullptr ? task->sense.ascq : 0};
  return -errno_of(slot.failure);
}

// Called by libiscsi, also when a session ends.
void finished(iscsi_context*, int status, void* command, void* user_data) {
  Slot& slot = *static_cast<Slot*>(user_data);
  const Task task(static_cast<scsi_task*>(command));
  if (slot.in_flight) end(slot, result_of(slot, status, task.get()));
}

fathom_queue* open_disks(const fathom_open& asked, fathom_error& error) {
  auto queue = std::make_unique<fathom_queue>(asked);
  for (std::uint32_t i = 0; i < asked.depth; ++i) {
    queue->slots[i].queue = queue.get();
    queue->slots[i].slot = i;
  }
  for (std::uint32_t i = 0; i < asked.target_count; ++i) {
    if (log_in(queue->disks[i], asked.targets[i], initiator_of(asked), error)) continue;
    for (Disk& disk : queue->disks) log_out(disk);
    return nullptr;
  }
  for (Disk& disk : queue->disks) iscsi_set_timeout(disk.context.get(), 0);
  queue->fua = (asked.wants & FATHOM_CAN_DURABLE) != 0 ? 1 : 0;
  return queue.release();
}

fathom_queue* open_queue(const fathom_open* asked, fathom_error* error) {
  try {
    return open_disks(*asked, *error);
  } catch (const std::bad_alloc&) {
    return say(*error, ENOMEM, "memory of the queue", "lower iodepth="), nullptr;
  }
}

// fathom checked that offsets and lengths are whole blocks. nullptr: libiscsi refuses the command.
scsi_task* send(fathom_queue& queue, Slot& slot, const fathom_request& r) {
  Disk& disk = *slot.disk;
  iscsi_context* const context = disk.context.get();
  const std::uint64_t lba = r.offset_bytes / static_cast<std::uint64_t>(disk.block_bytes);
  switch (r.dir) {
    case FATHOM_READ:
      return iscsi_read16_iov_task(context, disk.lun, lba, r.length_bytes, disk.block_bytes, 0, 0, 0, 0, 0, finished,
                                   &slot, &slot.data, 1);
    case FATHOM_WRITE: {
      const int fua = queue.fua | (r.flags & FATHOM_DURABLE);
      return iscsi_write16_iov_task(context, disk.lun, lba, nullptr, r.length_bytes, disk.block_bytes, 0, 0, fua, 0, 0,
                                    finished, &slot, &slot.data, 1);
    }
    case FATHOM_TRIM: {
      unmap_list range{lba, r.length_bytes / static_cast<std::uint32_t>(disk.block_bytes)};
      return iscsi_unmap_task(context, disk.lun, 0, 0, &range, 1, finished, &slot);
    }
    default:
      return iscsi_synchronizecache10_task(context, disk.lun, 0, 0, 0, 0, finished, &slot);
  }
}

// The session is lost: nothing in flight on this disk will be answered.
void lose(fathom_queue& queue, Disk& disk) {
  disk.lost = true;
  for (Slot& slot : queue.slots)
    if (slot.disk == &disk) end(slot, -ENOTCONN);
}

void serve(fathom_queue& queue, Disk& disk, int events) {
  if (disk.lost) return;
  if (iscsi_service(disk.context.get(), events) < 0 || disk.lost) lose(queue, disk);
}

// What the sockets take is sent at once, the rest while reap() waits.
int submit(fathom_queue* queue, const fathom_post* posts, std::uint32_t count, std::uint32_t) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const fathom_request& request = *posts[i].request;
    Slot& slot = queue->slots[posts[i].slot];
    slot.disk = &queue->disks[request.target];
    slot.data = {posts[i].buffer, request.length_bytes};
    slot.moved = static_cast<std::int32_t>(request.length_bytes);
    slot.moves_data = request.dir == FATHOM_READ || request.dir == FATHOM_WRITE;
    slot.failure = {};
    slot.in_flight = true;
    ++queue->in_flight;
    if (slot.disk->lost || send(*queue, slot, request) == nullptr) end(slot, slot.disk->lost ? -ENOTCONN : -EIO);
  }
  for (Disk& disk : queue->disks)
    if (!disk.lost && (iscsi_which_events(disk.context.get()) & POLLOUT) != 0) serve(*queue, disk, POLLOUT);
  return static_cast<int>(count);
}

// 0: something ended, or the time is over. Otherwise -errno.
int wait(fathom_queue& queue, int limit_ms) {
  for (std::size_t i = 0; i < queue.disks.size(); ++i) {
    iscsi_context* const context = queue.disks[i].context.get();
    const bool lost = queue.disks[i].lost;
    queue.polled[i] = {lost ? -1 : iscsi_get_fd(context), static_cast<short>(lost ? 0 : iscsi_which_events(context)),
                       0};
  }
  const int ready = ::poll(queue.polled.data(), queue.polled.size(), limit_ms);
  if (ready < 0) return -errno;
  for (std::size_t i = 0; i < queue.disks.size(); ++i)
    if (queue.polled[i].revents != 0) serve(queue, queue.disks[i], queue.polled[i].revents);
  if (ready == 0 && queue.ended.count() == 0 && fathom::plugins::must_stop(queue.stop)) return -EINTR;
  return 0;
}

int reap(fathom_queue* queue, std::uint32_t min, fathom_completion* out, std::uint32_t most) {
  return queue->ended.reap(min, out, most, queue->in_flight, [&](int limit_ms) { return wait(*queue, limit_ms); });
}

void explain(fathom_queue* queue, std::uint32_t slot_number, char* text, std::uint32_t text_bytes) {
  const Slot& slot = queue->slots[slot_number];
  const Failure& failure = slot.failure;
  if (slot.disk != nullptr && slot.disk->lost) {
    std::snprintf(text, text_bytes, "the connection to the target is lost");
  } else if (failure.status == SCSI_STATUS_CHECK_CONDITION) {
    std::snprintf(text, text_bytes, "the target reports %s, %s (sense %x/%04x)", scsi_sense_key_str(failure.key),
                  scsi_sense_ascq_str(failure.code), static_cast<unsigned>(failure.key),
                  static_cast<unsigned>(failure.code));
  } else if (failure.status != SCSI_STATUS_GOOD) {
    std::snprintf(text, text_bytes, "the target reports SCSI status %d", failure.status);
  }
}

void close_queue(fathom_queue* queue) {
  if (queue->in_flight == 0)
    for (Disk& disk : queue->disks) log_out(disk);
  delete queue;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const struct fathom_engine fathom_io_engine = {
    FATHOM_ENGINE_VERSION, sizeof(struct fathom_engine), "libiscsi", look_at, open_queue, submit, reap, explain,
    close_queue,
};
