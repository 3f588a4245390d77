// file_service_type= and sync_file_range=.
#pragma once
#include "job/files.h"
#include "job/option.h"

namespace fathom::job {

Outcome read_file_order(FileOptions& files, const Value& value);
Outcome read_range_sync(FileOptions& files, const Value& value);

}  // namespace fathom::job
