// The admin queue. It sends one command at a time and waits for it. Asynchronous event requests stay outstanding.
// Data goes through DMA memory that the queue owns.
// A command that timed out keeps its memory until the device is disabled, since the device may write to it at any time.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "nvme/command.h"
#include "nvme/detail/bring_up.h"
#include "nvme/queue_pair.h"
#include "nvme/transport.h"

namespace fathom::nvme::detail {

inline constexpr unsigned kAsyncEventsMax = 4;   // requests outstanding at once
inline constexpr std::size_t kEventsKept = 256;  // not yet taken by take_events(); later ones are dropped

enum class Direction { none, to_device, from_device };

class AdminQueue {
 public:
  AdminQueue(Transport& transport, std::uint32_t timeout_ms, NowNs now_ns);
  ~AdminQueue();
  AdminQueue(const AdminQueue&) = delete;
  AdminQueue& operator=(const AdminQueue&) = delete;

  base::Expected<void> make(std::uint32_t entries, std::uint32_t doorbell_stride_bytes);
  AdminRings rings() const;

  // The completion as the device posted it. Error: no completion.
  base::Expected<Completion> run(const Command& command, std::span<std::byte> data = {},
                                 Direction direction = Direction::none);
  // The same, but a status other than 0 is also an Error.
  base::Expected<Completion> run_well(const Command& command, std::span<std::byte> data = {},
                                      Direction direction = Direction::none);

  void arm_events(unsigned requests);
  void poll();
  std::vector<std::uint32_t> take_events();  // dword 0 of each, in order

  // Call this after the device was disabled or is gone. It ends all outstanding commands and empties the rings.
  void restart();
  Transport& transport() { return transport_; }
  const std::string& device() const { return transport_.identity().name; }

 private:
  struct Pending;
  static void completed(void* context, const Completion& completion);
  static void event_completed(void* context, const Completion& completion);
  bool arm();
  base::Expected<DmaMemory> bounce(std::size_t bytes);
  base::Expected<void> wait_for(const Pending& pending, const std::string& name);
  void forget_answered();

  Transport& transport_;
  std::uint32_t timeout_ms_;
  NowNs now_ns_;
  QueuePair<Policy{}> queue_;
  std::vector<std::unique_ptr<Pending>> given_up_;
  DmaMemory bounce_;
  std::vector<std::uint32_t> events_;
};

}  // namespace fathom::nvme::detail
