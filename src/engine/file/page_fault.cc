// page_fault: copies from or to untouched private memory, so that an I/O measures the kernel's work for a missing page.
// The memory is as large as the job's only file would be. A sync does nothing.
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "engine/parts.h"

namespace fathom::engine {
namespace {

struct Memory : CallState {
  std::byte* data = nullptr;
  std::size_t length = 0;
  ~Memory() override {
    if (data != nullptr) ::munmap(data, length);
  }
};

base::Expected<void> prepare_page_fault(const Setup& setup, CallContext& context) {
  base::Error e;
  e.help = "write only size=: the memory is one region of that size";
  if (setup.targets.size() != 1) {
    e.what = fmt::format("ioengine=page_fault with {} files", setup.targets.size());
    e.cause = "the engine has one memory region, which counts as one file";
    return e;
  }
  if (setup.targets[0].start != 0) {
    e.what = fmt::format("ioengine=page_fault with an offset of {}", setup.targets[0].start);
    e.cause = "the memory of a job begins at offset 0";
    return e;
  }
  auto memory = std::make_unique<Memory>();
  memory->length = setup.targets[0].length;
  void* data =
      ::mmap(nullptr, memory->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return base::system_error(fmt::format("mmap of {} bytes", memory->length), errno);
  memory->data = static_cast<std::byte*>(data);
  context.own = std::move(memory);
  return {};
}

std::int32_t page_fault_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  if (request.dir == io::Dir::sync) return 0;
  const Memory& memory = context.state<Memory>();
  if (request.dir == io::Dir::trim || request.offset + request.length > memory.length) return -EINVAL;
  if (request.dir == io::Dir::read)
    std::memcpy(buffer, memory.data + request.offset, request.length);
  else
    std::memcpy(memory.data + request.offset, buffer, request.length);
  return static_cast<std::int32_t>(request.length);
}

}  // namespace

const Calls page_fault_calls{page_fault_io, prepare_page_fault};

}  // namespace fathom::engine
