"""check_marks.py REPORT.json STAGE:LINE < DOM: compares the lines that the page marks with those that follow from the
links of the JSON. Prints the marks of the source, ttir and ttgir, with the operations on them."""
import json
import re
import sys


def expected(stages, name, number):
    index = [stage["name"] for stage in stages].index(name)
    marks = [set() for _ in stages]
    marks[index] = {number}
    for at in range(index, 0, -1):
        for line in marks[at]:
            marks[at - 1] |= set(stages[at]["lines"][line - 1].get("from", []))
    for at in range(index + 1, len(stages)):
        marks[at] |= {i for i, line in enumerate(stages[at]["lines"], 1) if marks[at - 1] & set(line.get("from", []))}
    return marks


def main():
    stages = json.load(open(sys.argv[1]))["stages"]
    name, number = sys.argv[2].split(":")
    dom = sys.stdin.read()
    found = re.search(r'<body[^>]* data-marked="([^"]*)"', dom)
    if not found:
        sys.exit("check_marks.py: the page marks nothing")
    marks = dict(part.split(":") for part in found.group(1).split())
    for stage, lines in zip(stages, expected(stages, name, int(number))):
        shown = {int(line) for line in marks[stage["name"]].split(",") if line}
        if shown != lines:
            sys.exit("check_marks.py: %s: marked %s, expected %s" % (stage["name"], sorted(shown), sorted(lines)))
        if stage["name"] in ("source", "ttir", "ttgir"):
            for line in sorted(lines):
                print(stage["name"], stage["lines"][line - 1].get("op", stage["lines"][line - 1]["text"]).strip())
    classes = len(re.findall(r'class="row [^"]*mark', dom))
    if classes != sum(map(len, expected(stages, name, int(number)))):
        sys.exit("check_marks.py: %d rows are drawn as marked" % classes)


if __name__ == "__main__":
    main()
