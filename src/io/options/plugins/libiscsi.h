// Options of ioengine=libiscsi.
#pragma once
#include "io/plugin_options.h"

namespace fathom::io {

inline constexpr Row kLibiscsiRows[] = {
    passed({"initiator", "iqn.2019-04.org.fio:fio", "Name with which the job logs in at the target"}),
};
inline constexpr OptionTable kLibiscsiOptions{"libiscsi", kLibiscsiRows};

}  // namespace fathom::io
