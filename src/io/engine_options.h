// What a job may say to its engine. Plain data: the rows that fill it are in job/, tagged by engine; engines read it at
// open.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::io {

struct EngineOptions {
  // common
  std::uint32_t iodepth = 1;
  bool direct = false;
  bool has_writes = false;   // the job writes or trims: mmap needs PROT_WRITE
  bool sync_writes = false;  // a write is on the medium when it completes: nvme sets FUA
  bool random = false;       // random offsets: mmap advises MADV_RANDOM, else MADV_SEQUENTIAL
  // pvsync2, io_uring: polled completions (RWF_HIPRI, IORING_SETUP_IOPOLL)
  bool hipri = false;
  unsigned hipri_percentage = 100;
  // io_uring
  bool fixedbufs = false;
  bool registerfiles = false;
  bool nonvectored = true;
  bool sqthread_poll = false;
  int sqthread_poll_cpu = -1;
  bool force_async = false;
  // libaio
  bool userspace_reap = false;
  // sim: the latency of every I/O on a fake clock (docs/measurement.md). "const:100us", "uniform:10us:20us",
  // "exp:100us", "normal:100us:10us", "two:100us:10ms:1%" (second value in 1 % of the I/Os)
  std::string sim_latency = "const:100us";
  std::uint64_t sim_seed = 1;
  std::uint64_t sim_fail_every = 0;  // every Nth I/O ends with EIO; 0: none
  // nvme: the tricks of its path, by the numbers of nvme/policy.h; -1: by CPU and depth
  int nvme_sq_copy = -1;
  int nvme_sq_doorbell = 0, nvme_cq_doorbell = 0, nvme_lookahead = -1, nvme_cq_read = -1, nvme_context = 0;
  bool nvme_wide_entries = false, nvme_trackers_apart = false, nvme_divide = false;
  std::uint32_t nvme_queue_entries = 0;  // of the submission ring; 0: twice the depth
  std::uint32_t nvme_unused_queues = 0;  // queue pairs that are made besides, of each target, and carry nothing
  std::uint64_t nvme_timeout_ns = 30'000'000'000;
};

}  // namespace fathom::io
