// The threads that stand for the devices: one for each CPU that is named, shared by all soft controllers of the process
// that name it, so that 21 devices cost one core, as the ideal ones of a benchmark must. A thread steps its controllers
// in turn, without a lock: joining and leaving raise a number that it compares at every round.
//
// It spins while anything happens and for 1 ms after; then it offers its CPU to others between rounds, which a driver
// waiting at depth 1 never sees. After 50 ms without a command it sleeps 50 us at a time.
// Thread rule: any thread. leave() returns when the controller is no longer stepped.
#pragma once
#include <memory>
#include <string>

#include "nvme/soft/controller.h"

namespace fathom::nvme::soft {

class Host {
 public:
  // The host of this CPU (-1: any), started when it is the first to ask; it ends with its last user.
  static std::shared_ptr<Host> on(int cpu);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  void join(Controller* controller);
  void leave(Controller* controller);
  const std::string& fallback() const;  // empty, or why the thread is not where it should be

 private:
  explicit Host(int cpu);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom::nvme::soft
