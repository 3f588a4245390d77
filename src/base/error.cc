// Turns an errno into an Error; the kind tells a missing permission from a failed device.
#include "base/error.h"

#include <cerrno>
#include <cstring>

namespace fathom::base {

Error system_error(std::string what, int err) {
  Error e;
  e.kind = (err == EPERM || err == EACCES) ? ErrorKind::privilege : ErrorKind::io;
  e.what = std::move(what) + ": " + strerror(err);
  e.sys_errno = err;
  return e;
}

}  // namespace fathom::base
