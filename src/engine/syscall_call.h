// Engines with one system call (or one copy) per I/O, as functions: one for the I/O, one to prepare at open, one to
// release. An engine's functions are in the file of its name, as NAME_calls (a file that several engines share is named
// after what they have in common).
#pragma once
#include <memory>
#include <vector>

#include "base/prng.h"
#include "engine/engine.h"

namespace fathom::engine {

struct Mapping {
  std::byte* data = nullptr;  // address of file_offset
  std::uint64_t file_offset = 0;
  std::size_t length = 0;
  int protection = 0;
};

// State specific to one engine: a struct in its file derives from this.
struct CallState {
  CallState() = default;
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  virtual ~CallState() = default;
};

// The state that the calls of one engine need; one per worker, filled at open.
struct CallContext {
  std::span<const io::Target> targets;
  bool direct = false;
  unsigned hipri_percent = 0;            // pvsync2: 0 when hipri is off
  int rw_flags[2] = {0, 0};              // pvsync2: of an I/O without hipri, and of one with it
  int write_flags = 0;                   // additional flags of a write
  base::Prng prng{1};                    // pvsync2: selects the hipri I/Os
  std::vector<std::uint64_t> positions;  // sync: the current file offset of each file
  std::vector<Mapping> mappings;         // mmap: one per target
  std::uint8_t after_copy = 0;           // mmap: work of an I/O after its copy (mapped_faults.h)
  std::unique_ptr<CallState> own;        // other engines: created by prepare()

  template <class State>
  State& state() {
    return static_cast<State&>(*own);
  }
};

// Performs one I/O. Returns the values of do_one() (engine.h).
using DoIo = std::int32_t (*)(CallContext&, const io::Request&, std::byte* buffer);

struct Calls {
  DoIo do_io;
  base::Expected<void> (*prepare)(const Setup&, CallContext&) = nullptr;
  void (*release)(CallContext&) = nullptr;
  base::Expected<void> (*begin)(CallContext&) = nullptr;  // engine.h
  // Implements files_beside() of the engine.
  std::vector<FileBeside> (*files)(const io::EngineOptions&, const std::string& job,
                                   std::span<const std::string> targets) = nullptr;
};

}  // namespace fathom::engine
