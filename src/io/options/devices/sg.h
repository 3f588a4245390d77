// Options of ioengine=sg: the command for writes.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

enum class SgWrite : std::uint8_t {
  write,
  write_and_verify,
  write_same,
  write_same_ndob,
  write_stream,
  verify_00,
  verify_01,
  verify_11
};
struct SgOptions : OfEngine {
  SgWrite write = SgWrite::write;
  unsigned stream_id = 0;
};

inline Outcome settle_sg(EngineOptions& options, const Mode&) {
  const SgOptions& own = options.own.get<SgOptions>();
  if (own.write == SgWrite::write_stream && own.stream_id == 0)
    return Problem{"sg_write_mode=write_stream without a stream",
                   "stream 0 means no stream: opening a new stream is not supported",
                   "open a stream with sg_stream_ctl, and write its number as `stream_id=`",
                   {}};
  return {};
}

inline constexpr Choice kSgWrites[] = {
    {"write", static_cast<int>(SgWrite::write), "WRITE"},
    {"write_and_verify", static_cast<int>(SgWrite::write_and_verify), "WRITE AND VERIFY, without comparing"},
    {"verify", static_cast<int>(SgWrite::write_and_verify), "as write_and_verify"},
    {"write_same", static_cast<int>(SgWrite::write_same), "WRITE SAME: send one block, which is written to all blocks"},
    {"same", static_cast<int>(SgWrite::write_same), "as write_same"},
    {"write_same_ndob", static_cast<int>(SgWrite::write_same_ndob), "WRITE SAME(16) that sends nothing"},
    {"write_stream", static_cast<int>(SgWrite::write_stream), "WRITE STREAM(16) to stream_id"},
    {"verify_bytchk_00", static_cast<int>(SgWrite::verify_00), "VERIFY of the medium alone"},
    {"verify_bytchk_01", static_cast<int>(SgWrite::verify_01), "VERIFY against the sent data"},
    {"verify_bytchk_11", static_cast<int>(SgWrite::verify_11), "VERIFY every block against one sent block"},
};

inline constexpr Row kSgRows[] = {
    choice<&SgOptions::write>({"sg_write_mode", "write", "The command that writes"}, kSgWrites),
    count<&SgOptions::stream_id>({"stream_id", "0", "The stream of write_stream"}, 0, 0xffff),
};
inline constexpr OptionTable kSgOptions{"sg", kSgRows, "Options of engines", settle_sg};

}  // namespace fathom::io
