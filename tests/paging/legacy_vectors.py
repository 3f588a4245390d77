"""pmbench's generators written a second time, in Python, from the description of what they do (number generator, seeds, formulae); prints
legacy_vectors.h. legacy_vectors_test.py holds that file against this program, legacy_test.cc holds fathom against the file.
"""
import itertools
import math

LARGEST = 2**31 - 1


def numbers(seed):
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def uniform(n, _, thread):
    return (r % n for r in numbers(thread + 2))


def linear(n, shape, _):
    at, phase, stride = 0, 0, int(shape)
    while True:
        yield at
        at += stride
        if at >= n:
            phase = (phase + 1) % stride
            at = phase


def normal(n, shape, thread):
    draws = numbers(thread + 5)
    while True:
        x, y = (2.0 * (next(draws) / LARGEST) - 1.0 for _ in range(2))
        w = x * x + y * y
        if w >= 1:
            continue
        scale = math.sqrt(-2.0 * math.log(w) / w)
        for z in (x, y):
            page = math.trunc(z * scale * int(shape) + n // 2)
            yield page if 0 <= page < n else n // 2


def normal_ih(n, _, thread):
    draws = numbers(thread + 3)
    last = n - 1
    span = (last + 5) // 12 * 12
    shift = (last - span) // 2
    while True:
        page = sum(next(draws) % span for _ in range(12)) // 12 + shift
        if 0 <= page <= last:
            yield page


def pareto(n, shape, thread):
    for r in numbers(thread + 8):
        u = r % LARGEST / LARGEST
        yield int((1 - u * (1 - (1 / n) ** shape)) ** (-1 / shape)) - 1


CASES = [
    ("Uniform", uniform, 65536, 1), ("Uniform", uniform, 1000, 1),
    ("Normal", normal, 65536, 5000), ("Normal", normal, 65536, 30000), ("Normal", normal, 1000, 1.00001), ("Normal", normal, 4, 2),
    ("NormalIh", normal_ih, 65536, 1), ("NormalIh", normal_ih, 1005, 1), ("NormalIh", normal_ih, 1004, 1), ("NormalIh", normal_ih, 8, 1),
    ("Pareto", pareto, 65536, 1.00001), ("Pareto", pareto, 65536, 0.99), ("Pareto", pareto, 1000, 1.161),
]
THREADS = (1, 4)
COUNT, LATER = 10, 1_000_000


def row(values):
    return "{" + ", ".join(map(str, values)) + "}"


def header():
    lines = ["// First pages of pmbench's generators, printed by legacy_vectors.py. Do not edit.", "#pragma once", "#include <array>", "#include <cstdint>",
             "", "namespace fathom::paging::legacy {", "// clang-format off",
             "struct Vector { const char* generator; std::uint64_t pages; double shape; unsigned thread; std::array<std::uint64_t, 10> first; };",
             "inline constexpr Vector kVectors[] = {"]
    for name, make, n, shape in CASES:
        for thread in THREADS:
            first = list(itertools.islice(make(n, shape, thread), COUNT))
            lines.append(f'    {{"{name}", {n}, {shape}, {thread}, {row(first)}}},')
    after = list(itertools.islice(uniform(65536, 1, 1), LATER, LATER + COUNT))
    words = [r >> 21 for r in itertools.islice(numbers(1 + 7), COUNT)]
    writes = [int(r % 1024 >= 30 * 1024 // 100) for r in itertools.islice(numbers(1 + 50), COUNT)]
    lines += ["};", "// Of the first thread, as a whole: page after a million draws, word, direction at 30 % reads.",
              f"inline constexpr std::uint64_t kPagesAfterAMillion[] = {row(after)};", f"inline constexpr std::uint64_t kWords[] = {row(words)};",
              f"inline constexpr bool kWrites[] = {row('true' if w else 'false' for w in writes)};", "// clang-format on",
              "}  // namespace fathom::paging::legacy", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(header(), end="")
