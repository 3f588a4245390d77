// Options of ioengine=rbd and ioengine=rados. The targets are POOL/NAME, so that a report names both.
#pragma once
#include "io/plugin_options.h"

namespace fathom::io {

inline constexpr Row kCephRows[] = {
    passed({"pool", "", "Pool that contains the image or the objects"}),
    passed({"clustername", "", "Name of the Ceph cluster (ceph)"}),
    passed({"clientname", "", "Ceph user without `client.` (admin)"}),
    passed({"conf", "", "Configuration file of the cluster ($CEPH_CONF, /etc/ceph/ceph.conf)"}),
    passed_number({"busy_poll", "0", "Poll for completions instead of sleeping"}, 0, 1),
};
inline constexpr OptionTable kCephOptions{"ceph", kCephRows};

}  // namespace fathom::io
