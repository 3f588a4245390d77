// The engines that make one system call (or one copy) an I/O, as functions: a row names an engine, what it prepares at
// open and the one call that does an I/O. Each engine's functions stand in the file of its name (sync.cc, psync.cc,
// pvsync2.cc, mmap.cc).
#pragma once
#include <vector>

#include "base/prng.h"
#include "engine/engine.h"

namespace fathom::engine {

struct Mapping {
  std::byte* data = nullptr;  // where file_offset lies
  std::uint64_t file_offset = 0;
  std::size_t length = 0;
  int protection = 0;
};

// What the calls of one engine need; filled at open, one a worker.
struct CallContext {
  std::span<const io::Target> targets;
  bool direct = false;
  unsigned hipri_percent = 0;            // pvsync2: 0 when hipri is off
  base::Prng prng{1};                    // pvsync2: which I/Os are hipri
  std::vector<std::uint64_t> positions;  // sync: where each file offset stands
  std::vector<Mapping> mappings;         // mmap: one a target
  std::uint8_t after_copy = 0;           // mmap: what an I/O has to do when its bytes are copied (mapped_faults.h)
};

// Does one I/O: bytes moved or -errno.
using DoIo = std::int32_t (*)(CallContext&, const io::Request&, std::byte* buffer);

struct SyscallRow {
  std::string_view name;
  base::Expected<void> (*prepare)(const Setup&, CallContext&);
  DoIo do_io;
  void (*release)(CallContext&);
};

base::Expected<void> prepare_sync(const Setup& setup, CallContext& context);
std::int32_t sync_io(CallContext& context, const io::Request& request, std::byte* buffer);

std::int32_t psync_io(CallContext& context, const io::Request& request, std::byte* buffer);

base::Expected<void> prepare_pvsync2(const Setup& setup, CallContext& context);
std::int32_t pvsync2_io(CallContext& context, const io::Request& request, std::byte* buffer);

base::Expected<void> prepare_mmap(const Setup& setup, CallContext& context);
std::int32_t mmap_io(CallContext& context, const io::Request& request, std::byte* buffer);
void release_mmap(CallContext& context);

}  // namespace fathom::engine
