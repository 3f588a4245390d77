// What a job may say to its engine. Plain data: rows fill it, engines read it at open. An engine's own options are a
// struct in a file of src/io/options/, which nobody but that engine includes.
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
  // What an engine's own options say that the run has to know too.
  bool kernel_submits = false;  // by a thread of the kernel's: slat means nothing
  bool vectored = false;        // a request goes as a list of buffers

  base::Bag own;
  template <class T>
  const T& of() const {
    return own.get<T>();
  }
};

}  // namespace fathom::io
