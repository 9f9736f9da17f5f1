"""Checks the JSON of nereid diff for scale_rows.ttir: counts agree with the listed changes, and the pipeline is complete."""
import json
import sys

report = json.load(open(sys.argv[1]))
assert report["version"] == 1 and report["input"].endswith("scale_rows.ttir")
names = [entry["pass"].split("{")[0] for entry in report["passes"]]
assert names[0] == "inline" and "tritongpu-coalesce" in names and names[-1] == "symbol-dce", names
for before, after in zip(report["passes"], report["passes"][1:]):
    assert before["operations"][1] == after["operations"][0]
for entry in report["passes"]:
    for kind in ("added", "removed", "moved", "edited"):
        listed = [change for change in entry["changes"] if change["change"] == kind]
        assert len(listed) == entry[kind], (entry["pass"], kind)
        assert all((change["before"] is None) == (kind == "added") for change in listed)
        assert all((change["after"] is None) == (kind == "removed") for change in listed)
    assert entry["milliseconds"] >= 0
coalesce = report["passes"][names.index("tritongpu-coalesce")]
assert coalesce["conversions"] == [0, 3] and coalesce["barriers"] == [0, 0]
load = next(change for change in coalesce["changes"] if change["operation"] == "tt.load")
assert load["change"] == "edited" and load["function"] == "scale_rows" and load["line"] == 19, load
