// The exported controller as a message handler: one command in, one reply out, no socket. It handles everything that
// a client may send, so the fuzzer tests this class. A table of commands has the valid payload lengths and numbers of
// file descriptors, which are checked before a handler reads the payload.
//
// Errors are errnos, as the protocol requires. Thread rule: the thread that steps the controller.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "nvme/soft/controller.h"
#include "nvme/vfio_user/framing.h"
#include "nvme/vfio_user/memory/client_memory.h"
#include "nvme/vfio_user/pci_config.h"

namespace fathom::nvme::vfio_user {

struct Reply {
  int error = 0;  // not 0: no payload and no file descriptor
  std::vector<std::byte> payload;
  int fd = -1;        // sent with the reply; this object keeps ownership
  bool last = false;  // close the connection after sending
};

class Device {
 public:
  explicit Device(soft::Controller& controller);
  Reply handle(const Packet& command);
  void forget_client();  // the client disconnected: resets the controller and unmaps its memory
  bool faulted() { return memory_.faulted(); }

 private:
  struct Row;
  static const Row kRows[];
  using Bytes = std::span<const std::byte>;
  Reply version(Bytes payload, int fd);
  Reply dma_map(Bytes payload, int fd);
  Reply dma_unmap(Bytes payload, int fd);
  Reply get_info(Bytes payload, int fd);
  Reply get_region_info(Bytes payload, int fd);
  Reply get_irq_info(Bytes payload, int fd);
  Reply set_irqs(Bytes payload, int fd);
  Reply region_read(Bytes payload, int fd);
  Reply region_write(Bytes payload, int fd);
  Reply reset(Bytes payload, int fd);
  bool read_bar(std::uint32_t offset, std::span<std::byte> to);
  bool write_bar(std::uint32_t offset, Bytes from);

  soft::Controller& controller_;
  PciConfig config_;
  memory::ClientMemory memory_;
  bool agreed_ = false;  // a version was negotiated
};

}  // namespace fathom::nvme::vfio_user
