// ioengine=: the known engines, and those that only fio has.
#pragma once
#include <string_view>

#include "job/draft.h"

namespace fathom::job::values {

// fio's engines that fathom does not support, and what each needs. Packages are those of Debian 12.
struct OnlyFios {
  std::string_view names, needs;
};
inline constexpr OnlyFios kOnlyFios[] = {
    {"rdma", "it needs librdmacm (package librdmacm-dev)"},
    {"gfapi gfapi_async", "it needs libgfapi (package libglusterfs-dev)"},
    {"libhdfs", "it needs Hadoop's libhdfs, which Debian does not have"},
    {"libpmem", "it needs libpmem (package libpmem-dev)"},
    {"pmemblk", "it needs libpmemblk (package libpmemblk-dev)"},
    {"dev-dax", "it needs libpmem (package libpmem-dev) and a device /dev/dax*"},
    {"ime_psync ime_psyncv ime_aio", "it needs the client library of DDN IME, which Debian does not have"},
    {"dfs", "it needs libdfs of DAOS, which Debian does not have"},
    {"xnvme", "it needs libxnvme, which Debian does not have"},
    {"libblkio", "it needs libblkio, which Debian 12 does not have"},
    {"libzbc", "it needs libzbc, which Debian does not have"},
    {"libcufile", "it needs NVIDIA's libcufile, which Debian does not have"},
    {"libhipfile", "it needs AMD's hipfile, which Debian does not have"},
    {"filexattr", "it measures the extended attributes of files, which fathom does not access"},
    {"librpma_apm_client librpma_apm_server librpma_gpspm_client librpma_gpspm_server",
     "it needs librpma (package librpma-dev)"},
};

// Replaces fio's other spellings (linuxaio, aio) by the engine's name, and takes PATH from external:PATH. Error: an
// unsupported or unknown engine.
base::Expected<void> resolve_engine_name(Draft& draft, const Assignment& section);

}  // namespace fathom::job::values
