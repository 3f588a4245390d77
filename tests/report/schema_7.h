// What --schema=7 writes of a result. tests/report/golden/*.json were made by the program whose newest schema that was.
#pragma once
#include "result/result.h"

namespace fathom::report {

inline result::Run in_schema_7(result::Run run) {
  run.schema_version = 7;
  return run;
}

}  // namespace fathom::report
