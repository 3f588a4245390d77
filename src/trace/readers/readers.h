// The formats, a file each: how a trace begins, and the reader. trace/formats.cc has their rows.
// A `fits` function tests the first line that is not empty: enough to tell all formats of the table apart.
// Thread rule: functions without state; any thread.
#pragma once
#include <memory>
#include <string_view>

#include "base/error.h"
#include "trace/formats.h"
#include "trace/reader.h"

namespace fathom::trace::readers {

using Opened = base::Expected<std::unique_ptr<Reader>>;

bool fits_iolog1(std::string_view head);
bool fits_iolog2(std::string_view head);
bool fits_iolog3(std::string_view head);
Opened open_iolog1(Inputs inputs, const OpenOptions& options);
Opened open_iolog2(Inputs inputs, const OpenOptions& options);
Opened open_iolog3(Inputs inputs, const OpenOptions& options);

bool fits_blktrace(std::string_view head);
Opened open_blktrace(Inputs inputs, const OpenOptions& options);
bool fits_msr(std::string_view head);
Opened open_msr(Inputs inputs, const OpenOptions& options);
bool fits_spc(std::string_view head);
Opened open_spc(Inputs inputs, const OpenOptions& options);
bool fits_alibaba(std::string_view head);
Opened open_alibaba(Inputs inputs, const OpenOptions& options);
bool fits_tencent(std::string_view head);
Opened open_tencent(Inputs inputs, const OpenOptions& options);
bool fits_blkparse_text(std::string_view head);
Opened open_blkparse_text(Inputs inputs, const OpenOptions& options);
bool fits_strace(std::string_view head);
Opened open_strace(Inputs inputs, const OpenOptions& options);
bool fits_biosnoop(std::string_view head);
Opened open_biosnoop(Inputs inputs, const OpenOptions& options);

}  // namespace fathom::trace::readers
