// Status values as in a completion, without the phase bit: SC in 7:0, SCT in 10:8, DNR in 14 (NVM Express Base
// Specification 2.0c, figures 94-99; NVM Command Set Specification 1.0c, figure 22).
// Only the values that this controller reports. DNR is set if a retry would fail in the same way.
#pragma once
#include <cstdint>

namespace fathom::nvme::soft {

using Status = std::uint16_t;

inline constexpr Status kDoNotRetry = 1u << 14;
constexpr Status permanent(unsigned type, unsigned code) { return static_cast<Status>(kDoNotRetry | type << 8 | code); }

inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidOpcode = permanent(0, 0x01);
inline constexpr Status kInvalidField = permanent(0, 0x02);
inline constexpr Status kDataTransferError = permanent(0, 0x04);
inline constexpr Status kInternalError = 0x06;
inline constexpr Status kAbortRequested = 0x07;
inline constexpr Status kAbortedBySqDeletion = 0x08;
inline constexpr Status kInvalidNamespace = permanent(0, 0x0b);
inline constexpr Status kCommandSequenceError = permanent(0, 0x0c);
inline constexpr Status kInvalidPrpOffset = permanent(0, 0x13);
inline constexpr Status kLbaOutOfRange = permanent(0, 0x80);
inline constexpr Status kCompletionQueueInvalid = permanent(1, 0x00);
inline constexpr Status kInvalidQueueIdentifier = permanent(1, 0x01);
inline constexpr Status kInvalidQueueSize = permanent(1, 0x02);
inline constexpr Status kAsyncEventLimit = permanent(1, 0x05);
inline constexpr Status kInvalidInterruptVector = permanent(1, 0x08);
inline constexpr Status kInvalidLogPage = permanent(1, 0x09);
inline constexpr Status kInvalidQueueDeletion = permanent(1, 0x0c);
inline constexpr Status kFeatureNotSaveable = permanent(1, 0x0d);
inline constexpr Status kWriteFault = permanent(2, 0x80);
inline constexpr Status kUnrecoveredReadError = permanent(2, 0x81);
inline constexpr Status kCompareFailure = permanent(2, 0x85);

}  // namespace fathom::nvme::soft
