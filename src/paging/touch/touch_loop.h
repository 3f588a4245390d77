// The touch loop: takes accesses from a block, makes each between two stamps and counts it. What cannot change during a
// run (stamps, mode, delay, load before store, whether the conversion shifts) is in the instance that is picked, once;
// an access tests its direction and whether it took long, and nothing else. Two functions are called: next_block() once
// in 128 accesses and slow_access() where an access took long. Classification costs a hit nothing: it is in these two.
// Thread rule: one thread a record; sources and region as the record's inputs say.
#pragma once
#include <cstdint>

#include "paging/plan.h"
#include "paging/sources/thread_record.h"

namespace fathom::paging::touch {

// Runs until the deadline, stop, the bound or the end of the source. The record was readied by ready_to_touch().
using TouchLoop = void (*)(sources::ThreadRecord& record);
TouchLoop find_touch_loop(const TouchPlan& plan, const clock::sources::Conversion& conversion);

// Sums and limits as they are before the first access. in: as the thread is told; begin and deadline may be set later.
void ready_to_touch(sources::ThreadRecord& record, const sources::LoopInputs& in);

// The same accesses untimed, uncounted and without delay, at most so many; returns how many were made. Stops at
// live.stop.
std::uint64_t warm_up(sources::ThreadRecord& record, std::uint64_t accesses, bool load_before_store);

// What one access's address costs to make, into the record: the source alone, after the run. 0 where it has no more.
void measure_address_cost(sources::ThreadRecord& record);

// An access that took longer than the limit of its direction: a new longest hit, or slow. False: the run is over.
bool slow_access(sources::ThreadRecord& record, std::uint64_t start, std::uint64_t ticks, const sources::Access* at);
// Counts the last block and fills the next. Null: the run is over. now: by the stamps' clock.
const sources::Access* next_block(sources::ThreadRecord& record, std::uint64_t now);

}  // namespace fathom::paging::touch
