// Reads the first blocks of a namespace, eight commands at a time: submit with a callback and a context, ring, poll.
//   nvme_read [soft | ADDRESS[/NSID] | vfio-user:SOCKET]
#include <cstdio>

#include "nvme/controller.h"
#include "nvme/open.h"
#include "nvme/queue_pair.h"

using namespace fathom;

static int fail(const base::Error& error) {
  std::fprintf(stderr, "error: %s\ncause: %s\nhelp: %s\n", error.what.c_str(), error.cause.c_str(), error.help.c_str());
  return 1;
}

static void done(void* context, const nvme::Completion& completion) {
  if (nvme::status_of(completion) == 0) ++*static_cast<int*>(context);
}

int main(int argc, char** argv) {
  const auto address = nvme::parse_address(argc > 1 ? argv[1] : "soft");
  if (!address) return fail(address.error());
  auto transport = nvme::open_transport(*address);
  if (!transport) return fail(transport.error());
  auto opened = nvme::Controller::open(std::move(*transport));
  if (!opened) return fail(opened.error());
  nvme::Controller& controller = **opened;
  const auto ns = controller.open_namespace(address->nsid);
  if (!ns) return fail(ns.error());
  const auto buffer = controller.transport().allocate(8ull * ns->block_bytes);
  if (!buffer) return fail(buffer.error());

  nvme::IoQueue queue;
  if (const auto ok = controller.open_queue(queue, {}); !ok) return fail(ok.error());
  int good = 0;
  for (std::uint32_t i = 0; i < 8; ++i)
    queue.read_write(nvme::NvmOpcode::read, ns->nsid, i, 1, buffer->iova + i * ns->block_bytes, ns->block_bytes, done,
                     &good);
  queue.ring();
  for (unsigned seen = 0; seen < 8 && !controller.failed(); controller.transport().idle())
    seen += queue.poll(8, [](void*, std::uint16_t) {});
  controller.close_queue(queue);
  std::printf("%d of 8 blocks of %u bytes read from %s\n", good, ns->block_bytes, address->text().c_str());
  return good == 8 ? 0 : 1;
}
