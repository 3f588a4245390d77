"""Lists places that say the same: runs of at least 8 significant lines that stand twice under the given folders. A finding is a place to
look at; scripts/check fails on it so that somebody does.     python3 tests/house/repetition.py FOLDER..."""
import sys

import tree

RUN_LINES = 8
THIN = ("#include", "using ", "namespace", "//", "}")


def significant(path):
    """(line number, text with white space folded) of the lines that say something."""
    rows = ((n, " ".join(row.split())) for n, row in enumerate(tree.lines(path), 1))
    return [(n, row) for n, row in rows if len(row) > 3 and not row.startswith(THIN)]


def repeated(paths):
    """(place, place) for every maximal repeated run; a place is "file:first-last"."""
    seen, found, covered = {}, [], set()
    for path in paths:
        rows = significant(path)
        for i in range(len(rows) - RUN_LINES + 1):
            key = tuple(text for _, text in rows[i:i + RUN_LINES])
            place = f"{path}:{rows[i][0]}-{rows[i + RUN_LINES - 1][0]}"
            if key in seen and (path, i - 1) not in covered:
                found.append((seen[key], place))
            if key in seen:
                covered.add((path, i))
            seen.setdefault(key, place)
    return found


def self_test():
    text = "\n".join(f"first_value_{n} = compute({n});" for n in range(RUN_LINES + 2))
    with tree.Planted({"a.cc": text, "b.cc": "int other;\n" + text, "c.cc": text.replace("first", "second")}) as root:
        assert len(repeated(sorted(root.iterdir()))) == 1


if __name__ == "__main__":
    self_test()
    pairs = repeated([p for folder in sys.argv[1:] for p in tree.files(tree.SOURCE, [folder], tree.CODE)])
    for one, other in pairs:
        print(f"{one} ~ {other}")
    sys.exit(1 if pairs else 0)
