"""message_lines.py < REPORT.json: prints each message, and for each of its lines the text and the source line."""
import json
import sys

report = json.load(sys.stdin)
stages = {stage["name"]: stage for stage in report["stages"]}
for message in report["messages"]:
    print(message["text"])
    for number in message.get("lines", []):
        stage = stages[message["stage"]]
        line = stage["lines"][number - 1]
        source = stages[stage["parent"]]["lines"][line["from"][0] - 1]
        print("  %s from %s:%d: %s" % (" ".join(line["text"].split()), report["files"][source["file"]], source["line"],
                                       source["text"].strip()))
