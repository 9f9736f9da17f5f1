"""Checks that a report of nereid diff contains no edit without a difference, no moved operation with one, and no operation that is
removed and added with the same operands.

The text before a pass uses the names of values after it, so that equal texts mean: only the names changed."""
import collections
import json
import re
import sys

report = json.load(open(sys.argv[1]))
assert len(report["passes"]) > 40
changes = [change for entry in report["passes"] for change in entry["changes"]]
edits = [change for change in changes if change["change"] == "edited"]
moves = [change for change in changes if change["change"] == "moved"]
assert len(edits) > 100 and len(moves) > 10
assert all(change["before"] != change["after"] for change in edits)
assert all(change["before"] == change["after"] for change in moves)


def texts(entry, kind, field):
    """The texts without the names of results; the mark of removed values stays, so their users differ."""
    return collections.Counter(re.sub(r"^%[^=]* = ", "", change[field]) for change in entry["changes"] if change["change"] == kind)


for entry in report["passes"]:
    again = texts(entry, "removed", "before") & texts(entry, "added", "after")
    assert not again, (entry["pass"], again)
