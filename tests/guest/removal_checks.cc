// The host takes the controller away while requests are in flight: an orderly removal, so the device still works when
// the word comes. Everything ends exactly once, and letting go of the device lets the kernel finish.
#include <unistd.h>

#include <chrono>
#include <string>

#include "guest/checks.h"
#include "guest/io.h"
#include "nvme/controller.h"
#include "nvme/status.h"

namespace fathom::guest {

int wait_for_removal(const std::string& address) {
  auto transport = open_or_say(address);
  if (!transport) return 1;
  auto opened = nvme::Controller::open(std::move(transport));
  if (!result("removal_bring_up", opened.ok(), opened ? "" : text_of(opened.error()))) return 1;
  nvme::Controller& controller = **opened;
  nvme::QueuePair<nvme::Policy{}> queue;
  const auto memory = controller.transport().allocate(65536);
  if (!memory || !controller.open_queue(queue, {.entries = 32})) return 1;
  result("removal_there_before", !controller.transport().gone() && !controller.failed());
  constexpr unsigned kLoad = 64;
  unsigned batches = 0;
  bool good = true;
  const auto one_batch = [&] {
    Batch batch(kLoad);
    batch.submit(queue, {.nsid = 1, .iova = memory->iova, .bytes = 1024, .count = kLoad});
    good &= batch.finish(queue).all_good();
    ++batches;
  };
  one_batch();  // before the host is asked: it may be quicker than the next line
  std::printf("@@host device_del nv1\n");
  std::fflush(stdout);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!controller.transport().gone() && std::chrono::steady_clock::now() < end) one_batch();
  result("removal_noticed", controller.transport().gone());
  result("removal_io_until_then", good && batches > 0, std::to_string(batches) + " batches");
  Batch last(kLoad);
  last.submit(queue, {.nsid = 1, .iova = memory->iova, .bytes = 1024, .count = kLoad});
  controller.fail_all();
  const Outcome& o = last.outcome();
  result("removal_ends_each_once", o.submitted == kLoad && o.ended() == kLoad && o.twice == 0,
         std::to_string(o.good) + " good, " + std::to_string(o.bad) + " ended by us");
  result("removal_refuses_more",
         queue.read_write(nvme::NvmOpcode::read, 1, 0, 1, memory->iova, 512, note_end, nullptr) < 0);
  result("removal_is_an_error", !controller.reset().ok());
  return 0;
}

}  // namespace fathom::guest
