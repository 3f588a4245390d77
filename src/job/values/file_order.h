// file_service_type= and sync_file_range=.
#pragma once
#include "job/fields/files.h"
#include "job/option.h"

namespace fathom::job::values {

Outcome read_file_order(fields::FileOptions& files, const Value& value);
Outcome read_range_sync(fields::FileOptions& files, const Value& value);

}  // namespace fathom::job::values
