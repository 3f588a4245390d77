// What ioengine=rbd and ioengine=rados share: a connection to a pool of a Ceph cluster, and requests that end in threads
// of the library.
// Source: librados.h, librbd.h of Ceph 16.
#pragma once
#include <fathom_engine.h>

#include <rados/librados.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ended.h"
#include "said.h"

namespace fathom::plugins {

struct ShutDown {
  void operator()(rados_t cluster) const { rados_shutdown(cluster); }
};
struct DestroyPool {
  void operator()(rados_ioctx_t pool) const { rados_ioctx_destroy(pool); }
};
struct Connection {
  std::unique_ptr<void, ShutDown> cluster;
  std::unique_ptr<void, DestroyPool> pool;
};

inline void say_code(fathom_error& error, int code, const char* call, const char* help) {
  say(error, -code, std::string(call) + ": " + std::strerror(-code), help);
}

// clientname= is the part behind "client.", or the whole name.
inline std::string client_of(const fathom_open& asked) {
  const char* const name = option_of(asked, "clientname");
  if (name == nullptr) return "client.admin";
  return std::strchr(name, '.') != nullptr ? name : std::string("client.") + name;
}

// False: see `error`. A monitor that does not answer within 10 seconds is an error, unless the configuration has
// client_mount_timeout.
inline bool connect_here(const fathom_open& asked, Connection& made, fathom_error& error) {
  constexpr const char* kHelp =
      "conf= or $CEPH_CONF names the cluster's configuration file, clientname= a user whose key is in the keyring";
  const char* const name = option_of(asked, "clustername");
  rados_t cluster = nullptr;
  int rc = rados_create2(&cluster, name != nullptr ? name : "ceph", client_of(asked).c_str(), 0);
  if (rc < 0) return say_code(error, rc, "librados", kHelp), false;
  made.cluster.reset(cluster);
  rados_conf_set(cluster, "client_mount_timeout", "10");
  rc = rados_conf_read_file(cluster, option_of(asked, "conf"));
  if (rc < 0) return say_code(error, rc, "read the configuration file", kHelp), false;
  rc = rados_connect(cluster);
  if (rc < 0) return say_code(error, rc, "connect to the cluster", kHelp), false;
  rados_ioctx_t pool = nullptr;
  rc = rados_ioctx_create(cluster, option_of(asked, "pool"), &pool);
  if (rc < 0) return say_code(error, rc, "open the pool", "pool= names it; `ceph osd lspools` lists them"), false;
  made.pool.reset(pool);
  return true;
}

// The random number by which the cluster knows a client comes from the state of a thread. Processes that were forked after
// a first connection have the same state in their first thread, and would end each other's connections without end. A new
// thread has a state of its own.
inline bool connect(const fathom_open& asked, Connection& made, fathom_error& error) {
  bool is_made = false;
  std::thread([&] { is_made = connect_here(asked, made, error); }).join();
  return is_made;
}

// A target is POOL/NAME.
inline const char* name_in_pool(const fathom_open& asked, const char* target) {
  return target + std::strlen(option_of(asked, "pool")) + 1;
}

// Requests end in threads of the library, so their queue has a lock.
class EndedElsewhere {
 public:
  EndedElsewhere(std::uint32_t depth, const fathom_open& asked) : ended_(depth), stop_(asked.stop) {
    const char* const busy = option_of(asked, "busy_poll");
    busy_poll_ = busy != nullptr && std::strcmp(busy, "0") != 0;
  }

  void begin() {
    const std::lock_guard lock(mutex_);
    ++in_flight_;
  }

  void end(std::uint32_t slot, std::int32_t result) {
    const std::lock_guard lock(mutex_);
    --in_flight_;
    ended_.add(slot, result);
    if (waits_) there_is_one_.notify_one();
  }

  int reap(std::uint32_t min, fathom_completion* out, std::uint32_t most) {
    std::unique_lock lock(mutex_);
    return ended_.reap(min, out, most, in_flight_, [&](int limit_ms) { return wait(lock, limit_ms); });
  }

  // True: nothing is in flight.
  bool settled(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    waits_ = true;
    return there_is_one_.wait_for(lock, limit, [&] { return in_flight_ == 0; });
  }

 private:
  int wait(std::unique_lock<std::mutex>& lock, int limit_ms) {
    if (limit_ms == 0) return 0;
    if (busy_poll_) {
      lock.unlock();
      lock.lock();
    } else {
      waits_ = true;
      there_is_one_.wait_for(lock, std::chrono::milliseconds(limit_ms));
      waits_ = false;
    }
    return ended_.count() == 0 && must_stop(stop_) ? -EINTR : 0;
  }

  std::mutex mutex_;
  std::condition_variable there_is_one_;
  Ended ended_;
  std::uint32_t in_flight_ = 0;
  bool waits_ = false, busy_poll_ = false;
  const std::uint32_t* stop_;
};

}  // namespace fathom::plugins
