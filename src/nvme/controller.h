// One NVMe controller, for one process: its registers, admin queue, Identify data and open I/O queue pairs.
// Bring-up follows NVM Express Base Specification 2.0c, section 3.5.1. Shutdown follows section 3.6.1.
// This class does administration only. The I/O path is queue_pair.h, and it does not call this class.
//
// Waits: every wait has a limit.
//   Enabling and disabling: the limit is CAP.TO or 500 ms, whichever is longer.
//   If the controller has CRTO (CAP.CRMS), the limit is at least CRTO.CRWMT; of CRTO.CRWMT at most 60 s count.
//   Admin commands wait at most ControllerOptions::admin_timeout_ms.
//   shutdown(): the limit is RTD3E or the limit for enabling, whichever is longer, but never more than 60 s.
//   kDelayBeforeReady (quirks.h) adds kReadyDelayMs to each disabling.
//
// Errors: a base::Error has the cause, and usually a remedy. These errors of the device are ErrorKind::io:
//   ENODEV     the device is gone, or the controller is shut down, failed or being reset
//   EIO        CSTS.CFS is set, or a command completed with a status other than 0
//   ETIMEDOUT  a wait reached its limit
//   EPROTO     the device violates the specification
//
// Thread rule: any thread may call any function. One lock serializes all functions but the accessors.
// Exceptions: reset(), fail_all(), close_queue(), shutdown() and the destructor.
// Call these only while no owner thread is inside a function of an affected queue pair.
// The accessors from device() to io_queues_max() take no lock, and reset() changes what they return.
// Do not call an accessor while another thread is in reset().
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "nvme/command.h"
#include "nvme/identify.h"
#include "nvme/queue_core.h"
#include "nvme/registers.h"
#include "nvme/transport.h"

namespace fathom::nvme {

struct ControllerOptions {
  // Entries of each admin ring: clamped to 8 to 4096, then rounded up to a power of two.
  std::uint32_t admin_entries = 32;
  std::uint32_t admin_timeout_ms = 10'000;  // limit for one admin command
  // I/O queue pairs to request with Set Features, at least 1. The controller may grant fewer: io_queues_max().
  std::uint32_t io_queues = 64;
  // Size of an I/O completion entry: 16, 32 or 64. open() fails with ErrorKind::usage if CQES excludes the size.
  std::uint32_t completion_entry_bytes = 16;
  // Clock for the wait limits, in ns; nullptr: CLOCK_MONOTONIC.
  // With another clock a wait never sleeps, so that clock must advance on its own. Tests use this.
  std::uint64_t (*now_ns)() = nullptr;
};

// A namespace that the driver can use.
struct Namespace {
  std::uint32_t nsid = 0;
  std::uint64_t blocks = 0;       // NSZE: size in logical blocks
  std::uint32_t block_bytes = 0;  // 512 to 65536
  bool deallocates = false;       // the controller supports dataset management (ONCS bit 2)
  bool writes_zeroes = false;     // the controller supports write zeroes (ONCS bit 3), and has no quirk kNoWriteZeroes
  bool volatile_cache = false;    // VWC bit 0: a flush has an effect
  std::uint64_t bytes() const { return blocks * block_bytes; }
};

// Direction of the data of an admin command, as seen from the host.
enum class Transfer { none, to_device, from_device };

class Controller {
 public:
  // Resets and enables the controller, reads Identify data, negotiates the number of queues, arms async event requests.
  // ErrorKind::not_built: the controller needs 128-byte submission entries, or its smallest page is above 4 KiB.
  // The same kind: an administrative or discovery controller.
  // ErrorKind::usage: completion_entry_bytes is not supported. ErrorKind::io: as listed above.
  // Errors of Transport::allocate() pass through.
  static base::Expected<std::unique_ptr<Controller>> open(std::unique_ptr<Transport> transport,
                                                          const ControllerOptions& options = {});
  ~Controller();  // calls shutdown(), which has no effect if it already ran
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // References remain valid until the Controller is destroyed. reset() reads Identify data again.
  const DeviceIdentity& device() const;
  Transport& transport();
  Cap cap() const;
  std::uint32_t version() const;  // VS
  const IdentifyController& identify() const;
  // Maximum transfer of one command in bytes: MDTS, or kTransferBytesMax (prp.h) if that is smaller.
  std::uint32_t transfer_bytes_max() const;
  // I/O queue pairs that the controller granted.
  std::uint32_t io_queues_max() const;
  // NSIDs of the active namespaces in rising order, 65536 at most. Empty after an error.
  // Without a list (before NVMe 1.1, or kNoNamespaceLists) the driver reads Identify data of NSIDs 1 to 1024.
  // It then returns those with a size other than 0.
  std::vector<std::uint32_t> namespaces();
  // Reads the namespace's Identify data and checks that the driver can use it.
  // ErrorKind::usage: the namespace does not exist or is inactive.
  // ErrorKind::not_built: metadata, protection information, a zoned, key-value or other command set.
  // ErrorKind::io: as listed above; EPROTO also for a block size outside 512 to 65536 bytes or above the transfer
  // limit.
  base::Expected<Namespace> open_namespace(std::uint32_t nsid);
  // Identify Namespace data without these checks. Errors: usage and io as in open_namespace().
  // ErrorKind::not_built: the namespace uses another command set.
  base::Expected<IdentifyNamespace> identify_namespace(std::uint32_t nsid);

  // Allocates the rings of `queue` and creates the queue pair on the device.
  // The function rounds options.entries up to a power of two, and limits it to CAP.MQES and to at least 2.
  // QueueCore::entries() returns the result.
  // `queue` must remain alive until close_queue(), shutdown() or the Controller's destructor, which unregister it.
  // ErrorKind::usage: no I/O queue is left, or completion_entry_bytes differs from ControllerOptions.
  // ErrorKind::io: as listed above. After ETIMEDOUT the controller is disabled: failed() is true until reset().
  base::Expected<void> open_queue(QueueCore& queue, const QueueOptions& options);
  // Deletes the queue pair. Commands in flight or waiting end with kStatusQueueDeleted.
  // Their callbacks run in this call.
  // A queue that is not open here is ignored. If the device does not answer, the controller is disabled, as above.
  void close_queue(QueueCore& queue);

  // Transport::map() and unmap() under the Controller's lock.
  // Any thread may call these while others open and close queues. Errors: those of Transport::map().
  base::Expected<std::uint64_t> map_memory(const HostMemory& memory);
  void unmap_memory(const HostMemory& memory);

  // Admin passthrough: runs one command and waits for it.
  // The driver copies `data` through DMA memory. Its length may be 0 to transfer_bytes_max() bytes.
  // Returns the completion as the device sent it, even if the status is not 0.
  // An Error means that no completion arrived (timeout, device gone), or that the driver refused the command:
  //   usage      an opcode reserved for the driver (I/O queues, async events), or data above the transfer limit
  //   not_built  Doorbell Buffer Config, fabrics commands, PSDT other than 0 (SGLs), a metadata pointer
  base::Expected<Completion> admin(const Command& command, std::span<std::byte> data, Transfer transfer);
  // Get Log Page (NVM Express Base Specification 2.0c, section 5.16.1; figure 202 has the LIDs). Fills `data`.
  // A status other than 0 is ErrorKind::io (EIO), and the text names the status.
  // ErrorKind::usage: `data` exceeds one transfer, and the controller accepts no offset into a log page.
  base::Expected<void> log_page(std::uint8_t lid, std::uint32_t nsid, std::span<std::byte> data);
  // Abort (best effort): true if the controller reports that it aborted the command.
  // A status other than 0 is ErrorKind::io, EIO.
  base::Expected<bool> abort(const QueueCore& queue, std::uint16_t cid);

  // Polls the admin queue for async events. Does nothing after a failure.
  // on_event() sets the callback, which runs in poll_admin(), outside the lock.
  // It receives dword 0 of each event (type, information, log page; decoded in log_page.h).
  // The driver arms the request again before the call.
  // Without a callback, the driver keeps the first 256 events and drops later ones.
  void poll_admin();
  void on_event(std::function<void(std::uint32_t)> callback);
  // True if no further command completes: device gone, CSTS.CFS set, shut down, disabled, or a failed reset().
  bool failed();

  // Controller reset. Every command in flight or waiting on any queue ends with an error exactly once.
  // Their callbacks run in this call, with kStatusAborted. A command without a callback goes to the owner's callback
  // (QueueCore::set_owner()), if there is one; otherwise it ends silently.
  // The controller is then enabled again, and its queues are created again, empty. Counters continue.
  // ErrorKind::io: as listed above; ENODEV also after shutdown(), and in a callback of a reset.
  // After an Error the queues are dead; call reset() again, or fail_all().
  base::Expected<void> reset();
  // For a device that is gone or in a fatal state. Every command ends with an error exactly once, as in reset().
  // The queues are dead afterwards. Does nothing after shutdown().
  void fail_all();
  // Sets CC.EN = 0 and waits within the limit. The device then no longer accesses host memory.
  // From then on open_queue() and admin() fail with ErrorKind::io, ENODEV. Commands in flight do not end; fail_all() or
  // reset() ends them.
  void disable();
  // Orderly shutdown: deletes the queue pairs, then sets CC.SHN. Disables the controller if it does not answer.
  // Commands left over end with kStatusQueueDeleted; their callbacks run in this call. A second call has no effect.
  void shutdown();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  explicit Controller(std::unique_ptr<Impl> impl);
};

}  // namespace fathom::nvme
