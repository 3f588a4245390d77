// ioengine=: the known engines, and those that only fio has.
#pragma once
#include <string_view>

#include "job/draft.h"

namespace fathom::job::values {

// fio's engines that fathom does not support.
inline constexpr std::string_view kOnlyFios =
    "mtd rdma rados rbd http gfapi gfapi_async libhdfs libpmem pmemblk dev-dax ime_psync ime_psyncv ime_aio libiscsi "
    "nbd "
    "nfs dfs xnvme libblkio libzbc libcufile libhipfile external filexattr librpma_apm_client librpma_apm_server "
    "librpma_gpspm_client librpma_gpspm_server";

// Replaces fio's other spellings (linuxaio, aio) by the engine's name. Error: an unsupported or unknown engine.
base::Expected<void> resolve_engine_name(Draft& draft, const Assignment& section);

}  // namespace fathom::job::values
