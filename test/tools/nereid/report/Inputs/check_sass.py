"""check_sass.py REPORT.json K.sass K.cubin.json: compares the machine code of a report with a disassembly, and its registers with the
metadata of the cubin."""
import json
import sys

report, metadata = json.load(open(sys.argv[1])), json.load(open(sys.argv[3]))
lines = [stage["lines"] for stage in report["stages"] if stage["name"] == "sass"][0]
expected = [" ".join(line.split()) for line in open(sys.argv[2]) if line.strip().startswith("/*")]
found = [" ".join(line["text"].split()) for line in lines if "op" in line]
if found != [line for line in expected if line in set(found)] or len(found) < 50:
    sys.exit("check_sass.py: the code differs from that without line numbers")
if report["machine"]["registers"] != metadata["registers"]:
    sys.exit("check_sass.py: %s, not %s registers" % (report["machine"]["registers"], metadata["registers"]))
linked = sum("from" in line for line in lines if "op" in line)
print("%d of %d instructions linked, %d registers" % (linked, len(found), report["machine"]["registers"]))
