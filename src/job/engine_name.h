// ioengine=: which names exist, which are only fio's.
#pragma once
#include "job/draft.h"

namespace fathom::job {

// Replaces fio's other spellings (linuxaio, aio) by the engine's name; an engine that is not built or not known is an
// error.
base::Expected<void> resolve_engine_name(Draft& draft, const Assignment& section);

}  // namespace fathom::job
