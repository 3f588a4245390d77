// A controller, brought up by the specification's steps and owned by one process: its registers, its admin queue, what
// it says of itself, and the I/O queue pairs that were opened on it. Cold; the I/O path is queue_pair.h and does not
// come here.
//
// Waits: every one is bounded, by CAP.TO for enabling and disabling and by ControllerOptions::admin_timeout_ms for
// admin commands. Errors are base::Error with cause and remedy; a device that is gone is ErrorKind::io with ENODEV.
// Thread rule: all functions from any thread (one lock inside), but reset(), shutdown() and the destructor only while
// no owner of a queue pair is inside it.
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
  std::uint32_t admin_entries = 32;
  std::uint32_t admin_timeout_ms = 10'000;
  std::uint32_t io_queues = 64;               // asked for by Set Features; the controller may give fewer
  std::uint32_t completion_entry_bytes = 16;  // of I/O queues: 16, 32 or 64; refused when CQES does not offer it
  // The clock that bounds the waits; CLOCK_MONOTONIC unless a test brings one that goes on by itself.
  std::uint64_t (*now_ns)() = nullptr;
};

struct Namespace {
  std::uint32_t nsid = 0;
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 0;
  bool deallocates = false;  // dataset management is supported
  bool writes_zeroes = false;
  bool volatile_cache = false;  // flush means something
  std::uint64_t bytes() const { return blocks * block_bytes; }
};

enum class Transfer { none, to_device, from_device };

class Controller {
 public:
  // Resets, enables, identifies, negotiates the number of queues and arms async event requests.
  static base::Expected<std::unique_ptr<Controller>> open(std::unique_ptr<Transport> transport,
                                                          const ControllerOptions& options = {});
  ~Controller();  // shutdown(), if nobody did it and the device is there
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  const DeviceIdentity& device() const;
  Transport& transport();
  Cap cap() const;
  std::uint32_t version() const;  // VS
  const IdentifyController& identify() const;
  std::uint32_t transfer_bytes_max() const;  // MDTS in bytes, or what the driver limits itself to
  std::uint32_t io_queues_max() const;
  std::vector<std::uint32_t> namespaces();  // active ones
  // ErrorKind::usage: not there; not_built: metadata, protection information, a zoned or key-value command set.
  base::Expected<Namespace> open_namespace(std::uint32_t nsid);
  base::Expected<IdentifyNamespace> identify_namespace(std::uint32_t nsid);

  // Makes queue and tells the device of it. Entries are rounded up to a power of two and cut to what CAP.MQES allows;
  // the queue says what it got. The queue is unregistered by close_queue() or by the controller's end, and has to
  // live until one of them.
  base::Expected<void> open_queue(QueueCore& queue, const QueueOptions& options);
  void close_queue(QueueCore& queue);

  // Transport::map() and unmap() under the controller's lock: from any thread, while others open and close queues.
  base::Expected<std::uint64_t> map_memory(const HostMemory& memory);
  void unmap_memory(const HostMemory& memory);

  // Admin passthrough: data of any length up to the transfer limit is copied through DMA memory. The completion as the
  // device gave it, a non-zero status included; an Error only when there was none (timeout, device gone).
  base::Expected<Completion> admin(const Command& command, std::span<std::byte> data, Transfer transfer);
  // Log pages: LID of figure 202. Status other than 0 is an Error that names it.
  base::Expected<void> log_page(std::uint8_t lid, std::uint32_t nsid, std::span<std::byte> data);
  // Abort (best effort): true when the controller says that it aborted the command.
  base::Expected<bool> abort(const QueueCore& queue, std::uint16_t cid);

  // Looks for async events; `on_event` gets dword 0 of each event (type, information, log page) after the
  // request has been armed again.
  void poll_admin();
  void on_event(std::function<void(std::uint32_t)> callback);
  bool failed();  // gone, or CSTS.CFS: nothing will complete any more

  // Controller reset: everything in flight or waiting on every queue ends in error exactly once (its callback runs in
  // here), the controller comes up again and the queues with it, empty.
  base::Expected<void> reset();
  // The device is gone or fatal: ends everything in error exactly once; the queues are dead.
  void fail_all();
  void
  disable();  // CC.EN = 0, bounded: the device touches no memory any more; open_queue() and admin() fail from now on
  void shutdown();  // CC.SHN, orderly

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  explicit Controller(std::unique_ptr<Impl> impl);
};

}  // namespace fathom::nvme
