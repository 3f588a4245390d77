// The device threads: one per named CPU, shared by all emulated controllers of the process that name it.
// So 21 devices cost one core, as the ideal devices of a benchmark must.
// A thread steps its controllers in turn, without a lock. join() and leave() raise a number that it compares each
// round.
//
// A thread spins during activity and for 1 ms after it. Then it yields its CPU between rounds, which a driver waiting
// at depth 1 never notices. After 50 ms without a command, it sleeps 50 us at a time.
// Thread rule: any thread. leave() returns when the controller is no longer stepped.
#pragma once
#include <memory>
#include <string>

#include "nvme/soft/controller.h"

namespace fathom::nvme::soft {

class Host {
 public:
  // The host of this CPU (-1: any). The first call starts it; it ends with its last user.
  static std::shared_ptr<Host> on(int cpu);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  void join(Controller* controller);
  void leave(Controller* controller);
  const std::string& fallback() const;  // why the thread does not run on its CPU; empty: it does

 private:
  explicit Host(int cpu);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom::nvme::soft
