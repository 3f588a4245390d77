"""Prints constructions that make technical English hard to read, in documents and in the program's strings: `prose.py [--all]`. It decides nothing.

A hit is a place to look at, not a mistake: see the rules of writing in CONTRIBUTING.md."""
import re
import sys

import tree

PATTERNS = [re.compile(pattern, re.M) for pattern in (
    r"(?<!users )\bwho\b|\b(?:whose|whom|whoever|nobody|somebody)\b",
    r"\b(?:is|are|was|were|be) told\b|\b(?<!regardless )of (?:which|whom|what)\b",
    r"\b(?:has|have|is|are) none\b",
    r"\bso (?:many|long|often|much)\b(?! (?:that|as))",
    r"\b(?:beside|meanwhile|anew|mend|dear|believe|doubts?)\b",
    r"\bh(?:e|o)lds? .{0,20}against\b|\bof (?:its|their) own\b",
    r"\b(?:stands?|lies?) (?:in|on|at|below|behind)\b",
    r"(?:(?<=[.!?] )|^)(?:Of|To whom|What|Where) [^?.\n]*\.",
    r"\b(?:ns|us|I/Os?|bytes|faults) an? (?:second|I/O|page|thread)\b")]
LONGEST_SENTENCE_WORDS = 25
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def prose_of_document(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "CODE", text)


def prose_of_source(text):
    """Strings of three words or more, each a paragraph. Adjacent literals are one string."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith(("//", "#include"))]
    joined = re.sub(r'"\s*\n\s*"', "", "\n".join(lines))
    return "\n\n".join(string for string in STRING.findall(joined) if len(string.split()) >= 3)


def hits(text):
    return [match[0] for pattern in PATTERNS for match in pattern.finditer(text)]


def long_sentences(text):
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=[-*|#])", text)]
    return [s for part in paragraphs if not part.startswith("|") for s in re.split(r"(?<=[.!?:]) ", part) if len(s.split()) > LONGEST_SENTENCE_WORDS]


def main():
    root, every = tree.SOURCE, "--all" in sys.argv
    documents = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("man/*.scd")]
    sources = [*root.glob("src/**/*.cc"), *root.glob("src/**/*.h"), *root.glob("src/**/*.inc"), *root.glob("src/**/*.js")]
    for paths, prose_of, name in ((documents, prose_of_document, "documents"), (sources, prose_of_source, "strings")):
        all_words = all_hits = all_long = 0
        for path in sorted(paths):
            text = prose_of(path.read_text())
            here = hits(text)
            all_words, all_hits, all_long = all_words + len(text.split()), all_hits + len(here), all_long + len(long_sentences(text))
            if here and (every or name == "documents"):
                print(f"{path.relative_to(root)}: {len(here)}" + (f": {'; '.join(here)}" if every else ""))
        print(f"{name}: {all_hits} places in {all_words} words, {1000 * all_hits / max(all_words, 1):.1f} a thousand; {all_long} sentences above {LONGEST_SENTENCE_WORDS} words")


if __name__ == "__main__":
    main()
