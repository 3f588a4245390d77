// Errors as values. A library room never prints or exits: it returns an Error, and cli/ shows it in one place
// (what, where, cause, help). An I/O failure during a run is not an Error but data (result/result.h).
#pragma once
#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fathom::base {

// Whose mistake it is, and so which exit status follows (cli/exit_codes.h).
enum class ErrorKind {
  usage,      // the user wrote something wrong
  not_built,  // a real fio option or engine that fathom does not have yet
  refused,    // a destructive action on something in use
  privilege,  // missing permission or hardware
  io,         // a system call failed on a file or device
};

// A place in the user's own text. line and column count from 1; 0 means unknown.
struct SourcePlace {
  std::string file;  // file name, "<command line>" for options
  int line = 0;
  int column = 0;
  std::string line_text;  // the whole line, for the caret
  int length = 1;         // how many characters the caret underlines
};

struct Error {
  ErrorKind kind = ErrorKind::usage;
  std::string what;   // "bs=4x: not a size"
  std::string cause;  // why it is wrong; may be empty
  std::string help;   // what to write instead; may be empty
  std::optional<SourcePlace> place;
  int sys_errno = 0;             // errno of the failed call, 0 if none
  std::vector<Error> also = {};  // further mistakes of the same text, shown after this one
};

// A value or an Error (std::expected is C++23).
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : v_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Expected(Error error) : v_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return std::holds_alternative<T>(v_); }
  explicit operator bool() const { return ok(); }
  T& value() & {
    assert(ok());
    return *std::get_if<T>(&v_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<T>(&v_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<T>(&v_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() {
    assert(!ok());
    return *std::get_if<Error>(&v_);
  }
  const Error& error() const {
    assert(!ok());
    return *std::get_if<Error>(&v_);
  }

 private:
  std::variant<T, Error> v_;
};

template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(Error error) : e_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return !e_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() {
    assert(!ok());
    return *e_;
  }
  const Error& error() const {
    assert(!ok());
    return *e_;
  }

 private:
  std::optional<Error> e_;
};

// The first, with the others as what was also wrong. `errors` is not empty.
Error joined(std::vector<Error> errors);

// "open /x: Permission denied" from a failed system call.
Error system_error(std::string what, int err);

}  // namespace fathom::base
