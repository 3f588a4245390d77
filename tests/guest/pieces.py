"""What a step of the guest printed, taken apart: pieces below "--- NAME" lines, and in a piece a JSON report among other words."""
import json


def pieces(*texts):
    """{name: text}; what comes before the first name is under ""."""
    found, name = {"": []}, ""
    for line in "\n".join(texts).split("\n"):
        if line.startswith("--- "):
            name = line[4:]
            found[name] = []
        else:
            found[name].append(line)
    return {key: "\n".join(lines) for key, lines in found.items()}


def decoded(text):
    """The JSON object among other words, {} where there is none."""
    at = text.find("{\n")
    if at < 0:
        return {}
    try:
        return json.JSONDecoder().raw_decode(text[at:])[0]
    except ValueError:
        return {}
