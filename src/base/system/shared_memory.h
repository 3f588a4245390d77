// Memory that a forked worker and its parent share. A job is a forked process by default (as in fio). A worker's
// results are in a mapping that outlives it: no measurement is lost when a worker dies. T must be trivially
// destructible; it is value-initialised (zero pages, not touched until used).
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace fathom::base::system {

template <class T>
class SharedArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  SharedArray() = default;
  // All-zero bytes must be a valid T: pages are not touched here, so a thousand idle slots cost no memory.
  explicit SharedArray(std::size_t n) : n_(n) {
    if (n == 0) return;
    void* p = ::mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(p);
  }
  SharedArray(SharedArray&& o) noexcept : data_(std::exchange(o.data_, nullptr)), n_(std::exchange(o.n_, 0)) {}
  SharedArray& operator=(SharedArray&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(n_, o.n_);
    return *this;
  }
  ~SharedArray() {
    if (data_) ::munmap(data_, n_ * sizeof(T));
  }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return n_; }
  std::span<T> all() { return {data_, n_}; }
  std::span<const T> all() const { return {data_, n_}; }

 private:
  T* data_ = nullptr;
  std::size_t n_ = 0;
};

}  // namespace fathom::base::system
