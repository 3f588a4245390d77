// How often a block that is wrong had been written, and by which write last: who looks for the fault asks that first.
// Nothing is kept of it; the job's requests are made once more and those that came there are counted, which takes about
// a second for 20 million writes, and so is left out beyond that. Any thread.
#pragma once
#include <cstdint>
#include <string>

#include "io/request.h"
#include "run/verify_judge.h"

namespace fathom::run {

// "written there 3 times, last by write 306 of job 1". writes: that the job has issued.
std::string history_in_words(const VerifyFacts& facts, std::uint64_t writes, const io::Request& read,
                             const Judged& judged);

}  // namespace fathom::run
