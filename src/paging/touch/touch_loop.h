// The touch loop: takes accesses from a block, makes each between two stamps and counts it. What cannot change during a
// run (stamps, mode, delay, load before store, whether the conversion shifts) selects the instance, once. An access
// tests only its direction and whether it took long. The loop calls two functions: next_block() once in 128 accesses,
// and slow_access() after a long access. Classification costs a hit nothing: it is in these two.
// Thread rule: one thread per record; sources and region as in the record's inputs.
#pragma once
#include <cstdint>

#include "paging/plan.h"
#include "paging/sources/thread_record.h"

namespace fathom::paging::touch {

// Runs until the deadline, stop, the access limit or the end of the source. Call ready_to_touch() on the record first.
using TouchLoop = void (*)(sources::ThreadRecord& record);
TouchLoop find_touch_loop(const TouchPlan& plan, const clock::sources::Conversion& conversion);

// Sets sums and limits as before the first access. in: the thread's inputs; begin and deadline may be set later.
void ready_to_touch(sources::ThreadRecord& record, const sources::LoopInputs& in);

// Makes at most `accesses` of the same accesses, untimed, uncounted and without delay; returns how many it made. Stops
// at live.stop.
std::uint64_t warm_up(sources::ThreadRecord& record, std::uint64_t accesses, bool load_before_store);

// Measures the cost of making one access's address, into the record: the source alone, after the run. 0: the source has
// no more accesses.
void measure_address_cost(sources::ThreadRecord& record);

// For an access that took longer than the limit of its direction: a new longest hit, or slow. False: the run is over.
bool slow_access(sources::ThreadRecord& record, std::uint64_t start, std::uint64_t ticks, const sources::Access* at);
// Counts the last block and fills the next. Null: the run is over. now: by the stamps' clock.
const sources::Access* next_block(sources::ThreadRecord& record, std::uint64_t now);

}  // namespace fathom::paging::touch
