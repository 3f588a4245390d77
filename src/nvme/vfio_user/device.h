// The exported controller as a handler of messages: one command in, one reply out, no socket. Whatever a client may
// send ends here, so it is also what the fuzzer feeds. A table of commands says how long a payload must be and how many
// file descriptors may come with it, before a handler looks inside.
//
// Errors are errnos, as the protocol wants them. Thread rule: the thread that steps the controller.
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
  int error = 0;  // then there is no payload and no file descriptor
  std::vector<std::byte> payload;
  int fd = -1;        // goes with it; stays ours
  bool last = false;  // nothing to talk about any more: close after sending
};

class Device {
 public:
  explicit Device(soft::Controller& controller);
  Reply handle(const Packet& command);
  void forget_client();  // it has gone: the controller is reset and its memory unmapped
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
  bool agreed_ = false;  // on a version
};

}  // namespace fathom::nvme::vfio_user
