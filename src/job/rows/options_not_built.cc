// fio's options that fathom does not support yet, from fio's own help (3.33) and the list of 3.42. So the error for
// such an option states that it is not supported, instead of "unknown". A row leaves this table when it becomes a row
// in another options_*.cc file. Its neutral values are fio's defaults. They are any number (`#`) if the option only
// modifies another one that is not supported.
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr Row fios(std::string_view names, std::string_view neutral = {}, std::string_view engines = {}) {
  return {{.names = names, .engines = engines, .status = Status::not_built, .neutral = neutral}};
}
// An option of some engines.
constexpr Row of(std::string_view engines, std::string_view names, std::string_view neutral = {}) {
  return fios(names, neutral, engines);
}

constexpr Row kNotBuiltRows[] = {
    // Memory of a GPU
    fios("gpu_dev_id"),

    // Engines: io_uring, io_uring_cmd, libaio, pvsync2, mmap
    of("io_uring_cmd", "cdb_len", "#"),
    of("io_uring_cmd", "read_mode", "read prefetch"),  // with cdb_len and verify_bytchk of cmd_type=bsg only
    of("io_uring_cmd", "verify_bytchk", "0 1 3"),
    of("io_uring_cmd", "verify_mode", "read"),

    // Engines that need a library or a device that fathom does not support
    of("rdma", "bindname"),
    of("gfapi gfapi_async", "brick"),
    of("librpma_gpspm_server", "busy_wait_polling"),
    of("libhdfs dfs", "chunk_size"),
    of("dfs", "cont"),
    of("libcufile", "cuda_io"),
    of("librpma_apm_client librpma_gpspm_server", "direct_write_to_pmem"),
    of("libcufile libhipfile", "gpu_dev_ids"),
    of("libhdfs", "hdfs_use_direct"),
    of("libhdfs", "hdfsdirectory"),
    of("http", "http_object_mode", "block"),
    of("libblkio", "libblkio_driver"),
    of("libblkio", "libblkio_force_enable_completion_eventfd"),
    of("libblkio", "libblkio_num_entries"),
    of("libblkio", "libblkio_path"),
    of("libblkio", "libblkio_pre_connect_props"),
    of("libblkio", "libblkio_pre_start_props"),
    of("libblkio", "libblkio_queue_size"),
    of("libblkio", "libblkio_vectored"),
    of("libblkio", "libblkio_wait_mode"),
    of("libblkio", "libblkio_write_zeroes_on_trim"),
    of("libhdfs", "namenode"),
    of("dfs", "object_class"),
    of("librpma_apm_client librpma_gpspm_client", "serverip"),
    of("gfapi gfapi_async", "single-instance"),
    of("libhdfs", "single_instance"),
    of("dfs", "svcl"),
    of("rdma", "verb"),
    of("gfapi gfapi_async", "volume"),
    of("xnvme", "xnvme_admin"),
    of("xnvme", "xnvme_async"),
    of("xnvme", "xnvme_be"),
    of("xnvme", "xnvme_dev_nsid"),
    of("xnvme", "xnvme_dev_subnqn"),
    of("xnvme", "xnvme_iovec"),
    of("xnvme", "xnvme_mem"),
    of("xnvme", "xnvme_sync"),
};

}  // namespace

std::span<const Row> options_not_built() { return kNotBuiltRows; }

}  // namespace fathom::job
