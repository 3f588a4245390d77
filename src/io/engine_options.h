// A job's options for its engine. Plain data: rows fill it, engines read it at open. An engine's own options are a
// struct in a file of src/io/options/, which only that engine includes.
#pragma once
#include <cstdint>

#include "base/bag.h"

namespace fathom::io {

struct EngineOptions {
  std::uint32_t iodepth = 1;
  bool direct = false;
  bool has_writes = false;   // the job writes or trims: mmap needs PROT_WRITE
  bool sync_writes = false;  // a write is on the medium when it completes: nvme sets FUA
  bool random = false;       // random offsets: mmap advises MADV_RANDOM, else MADV_SEQUENTIAL
  // Effects of an engine's own options on the run.
  bool kernel_submits = false;  // on a kernel thread: slat is meaningless
  bool vectored = false;        // a request is passed as a list of buffers

  base::Bag own;
  template <class T>
  const T& of() const {
    return own.get<T>();
  }
};

}  // namespace fathom::io
