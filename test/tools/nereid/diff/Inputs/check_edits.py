"""Checks that a report of nereid diff contains no edit without a difference and no moved operation with one.

The text before a pass uses the names of values after it, so that equal texts mean: only the names changed."""
import json
import sys

report = json.load(open(sys.argv[1]))
assert len(report["passes"]) > 40
changes = [change for entry in report["passes"] for change in entry["changes"]]
edits = [change for change in changes if change["change"] == "edited"]
moves = [change for change in changes if change["change"] == "moved"]
assert len(edits) > 100 and len(moves) > 10
assert all(change["before"] != change["after"] for change in edits)
assert all(change["before"] == change["after"] for change in moves)
