"""Key paths of a fio JSON document with their types, in order of appearance: what keys_test.py compares and what
observed/keys_*.txt hold. Run as a script it reads a document and prints them."""
import json
import re
import sys

# Objects whose keys are data (buckets, options the user wrote): their keys become one '*'.
DATA_OBJECTS = ("bins", "histogram_ns", "job options", "global options")


def type_name(value):
    return {bool: "bool", int: "int", float: "float", str: "string", type(None): "null"}[type(value)]


def key_paths(value, path=""):
    """[(path, type)]; array elements share the path 'name[]', the first occurrence counts."""
    found = {}

    def walk(node, at):
        if isinstance(node, dict):
            data = at.rsplit(".", 1)[-1] in DATA_OBJECTS
            if at:
                found.setdefault(at, "object")
            for key, child in node.items():
                walk(child, (at + "." if at else "") + ("*" if data else key.replace(".", "_")))
        elif isinstance(node, list):
            found.setdefault(at, "array")
            for child in node:
                walk(child, at + "[]")
        else:
            found.setdefault(at, type_name(node))

    walk(value, path)
    return list(found.items())


def nest(pairs):
    """The same as a tree in little room: [name, type, [children]]; a child whose own children are those of an earlier one has that one's name for them."""
    trees, by_path = [], {}
    for path, kind in pairs:
        above, _, name = path.replace("[]", ".[]").rpartition(".")
        node = [name, kind]
        if above:
            if len(by_path[above]) < 3:
                by_path[above].append([])
            by_path[above][2].append(node)
        else:
            trees.append(node)
        by_path[path.replace("[]", ".[]")] = node
    return fold(trees)


def fold(nodes):
    seen, folded = {}, []
    for name, kind, *below in nodes:
        children = fold(below[0]) if below else []
        first = seen.setdefault(json.dumps(children), name)
        folded.append([name, kind, *([] if not below else [children] if first == name else [first])])
    return folded


def flat(nodes, above=""):
    """[(path, type)] of such a tree."""
    found, below = [], {}
    for name, kind, *children in nodes:
        path = above + name if name == "[]" or not above else f"{above}.{name}"
        found.append((path, kind))
        if children:
            below[name] = below[children[0]] if isinstance(children[0], str) else children[0]
            found += flat(below[name], path)
    return found


def document_in(text):
    """The JSON document between a line '{' and a line '}', as downstream tools cut it out."""
    match = re.search(r"^\{$.*?^\}$", text, re.M | re.S)
    if not match:
        raise ValueError("no JSON document in: " + text[:500])
    return json.loads(match.group(0))


if __name__ == "__main__":
    for key_path, kind in key_paths(document_in(sys.stdin.read())):
        print(f"{key_path}\t{kind}")
