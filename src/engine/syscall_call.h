// The engines that make one system call (or one copy) an I/O, as functions: the one call that does an I/O, what is
// prepared for it at open, and what is released. Those of an engine stand in the file of its name, as NAME_calls (a file
// that several share is named after what they have in common).
#pragma once
#include <memory>
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

// What only one engine keeps: a struct of its file derives from this.
struct CallState {
  CallState() = default;
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  virtual ~CallState() = default;
};

// What the calls of one engine need; filled at open, one a worker.
struct CallContext {
  std::span<const io::Target> targets;
  bool direct = false;
  unsigned hipri_percent = 0;            // pvsync2: 0 when hipri is off
  int rw_flags[2] = {0, 0};              // pvsync2: of an I/O that is not hipri, and of one that is
  int write_flags = 0;                   // and of a write besides
  base::Prng prng{1};                    // pvsync2: which I/Os are hipri
  std::vector<std::uint64_t> positions;  // sync: where each file offset stands
  std::vector<Mapping> mappings;         // mmap: one a target
  std::uint8_t after_copy = 0;           // mmap: what an I/O has to do when its bytes are copied (mapped_faults.h)
  std::unique_ptr<CallState> own;        // the others: made by prepare()

  template <class State>
  State& state() {
    return static_cast<State&>(*own);
  }
};

// Does one I/O: what do_one() returns (engine.h).
using DoIo = std::int32_t (*)(CallContext&, const io::Request&, std::byte* buffer);

struct Calls {
  DoIo do_io;
  base::Expected<void> (*prepare)(const Setup&, CallContext&) = nullptr;
  void (*release)(CallContext&) = nullptr;
  base::Expected<void> (*begin)(CallContext&) = nullptr;  // engine.h
  // files_beside() of the engine
  std::vector<FileBeside> (*files)(const io::EngineOptions&, const std::string& job,
                                   std::span<const std::string> targets) = nullptr;
};

}  // namespace fathom::engine
