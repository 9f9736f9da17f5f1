"""Checks reports of nereid bisect --json on center_rows.ttir: a lost loop-carried value, a dropped store, a property that comes and
goes, and a correct kernel."""
import json
import os
import sys

found, dropped, changes, clean = (json.load(open(path)) for path in sys.argv[1:])
for report in (found, dropped, changes, clean):
    assert report["version"] == 1 and report["property"] == "numbers" and report["input"].endswith("center_rows.ttir")
    assert report["shown"] == (report is not clean)

step = found["pass"]
assert step["name"] == "nereid-test-defect{kind=forget-carried}" and step["list"] == "mlir" and step["engine"] == "emulator"
assert 0 < step["position"] < step["of"] and found["unprobed"] == 0 and found["deterministic"]
seen = found["with"]
assert seen["tensor"] == "out" and seen["value"] != seen["expected"]
row, column = divmod(seen["element"], 208)
written = seen["written"]
assert written["times"] == 1 and written["cta"] == [row, 0, 0] and written["thread"][0] == column % 128
assert written["source"].endswith("center_rows.ttir:42") and written["instruction"].startswith("st.global")
assert found["without"]["text"].startswith("all tensors agree")
edits = [change["after"] for change in found["diff"]["changes"]]
assert len(edits) == 1 and edits[0].startswith("scf.yield %arg5")
assert os.path.exists(found["ir"]) and found["ir"] in found["reproduce"]

assert dropped["with"]["written"] == {"times": 0}
assert [change["holds"] for change in changes["changes_of_property"]] == [True, False, True]
assert changes["pass"]["position"] == changes["changes_of_property"][0]["position"]
assert "pass" not in clean and clean["observation"]["text"].startswith("all tensors agree")
