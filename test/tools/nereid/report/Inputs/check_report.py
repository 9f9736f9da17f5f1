"""check_report.py REPORT.json [--counters RUN.txt] [--ptx K.ptx]: checks a report against its schema (docs/report.md),
its counters against the output of `nereid run --counters`, and its PTX against that of `nereid compile`."""
import argparse
import json
import sys

STAGES = ["source", "input", "ttir", "ttgir", "llvm", "ll", "ptx", "sass"]
COSTS = {"warp_instructions", "thread_instructions", "global_requests", "global_sectors", "global_bytes",
         "shared_requests", "shared_wavefronts", "shared_bytes", "local_bytes", "bank_conflicts", "barriers", "mma",
         "bulk_copies", "bulk_bytes"}
LINE = {"text": str, "op": str, "part_of": int, "file": int, "line": int, "from": list, "link": str, "why": str,
        "cost": dict, "layouts": list}


def check(condition, *message):
    if not condition:
        sys.exit("check_report.py: " + " ".join(map(str, message)))


def check_line(report, stage, before, number, line):
    place = (stage["name"], number, line)
    for member, value in line.items():
        check(member in LINE and isinstance(value, LINE[member]), "member", member, "of", place)
    check("text" in line, "no text:", place)
    if "from" in line:
        check(before and line["from"] and all(1 <= parent <= len(before["lines"]) for parent in line["from"]), place)
    check(line.get("link", "use") in ("function", "use", "near") and ("link" not in line or "from" in line), place)
    if "op" in line and before:
        check("from" in line or "why" in line, "neither an origin nor a reason:", place)
    if "part_of" in line:
        check("op" in stage["lines"][line["part_of"] - 1], "part of a line without operation:", place)
    if stage["name"] == "source":
        check(line["line"] > 0 and line["file"] < len(report["files"]), place)
    check(set(line.get("cost", {})) <= COSTS, place)
    check(all(index < len(report["layouts"]) for index in line.get("layouts", [])), place)


def check_facts(report, stages):
    for layout in report["layouts"]:
        size = 1
        for extent in layout["shape"]:
            size *= extent
        check(len(layout["bases"]) == 4 and all(base < size for bases in layout["bases"] for base in bases), layout)
        check(layout["element_bits"] > 0 and isinstance(layout["shared"], bool) and layout["encoding"], layout)
    for buffer in report["memory"]["buffers"]:
        check(buffer["kind"] in ("explicit", "scratch", "virtual") and buffer["function"] and buffer["live"], buffer)
        check(buffer["offset"] + buffer["bytes"] <= report["memory"]["bytes"], buffer)
        check("op" in stages[buffer["stage"]]["lines"][buffer["line"] - 1], buffer)
    for kind, cta, warp, begin, end, line, count in report["timeline"]["events"]:
        check(kind < len(report["timeline"]["kinds"]) and begin < end and cta >= 0 and warp >= 0 and count >= 0, "event")
        check("op" in stages["ptx"]["lines"][line - 1], "event of line", line)
    for step in report["passes"]:
        changed = step["added"] + step["removed"] + step["moved"] + step["edited"]
        check(not step["listed"] or changed >= len(step["changes"]) > 0 or not changed, step["pass"])
    machine = report["machine"]
    check(machine is None or machine["registers"] > 0, machine)


def sums(lines):
    total = {}
    for line in lines:
        for name, value in line.get("cost", {}).items():
            old = total.get(name, [0, 0] if isinstance(value, list) else 0)
            total[name] = [a + b for a, b in zip(old, value)] if isinstance(value, list) else old + value
    return total


def expected(counters):
    result = {}
    for name, value in counters.items():
        if name.endswith("_instructions"):
            result[name] = sum(value.values())
        elif isinstance(value, dict):
            result[name] = [value["load"], value["store"]]
        elif name != "loops":
            result[name] = value
    result["mma"] = counters["warp_instructions"]["matrix"]
    return {name: value for name, value in result.items() if value not in (0, [0, 0])}


def read_counters(path):
    text = open(path).read()
    return json.JSONDecoder().raw_decode(text[text.index("{"):])[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("--counters")
    parser.add_argument("--ptx")
    arguments = parser.parse_args()
    report = json.load(open(arguments.report))
    check(report["schema"] == "nereid-report" and report["version"] == 1, "schema or version")
    stages = {stage["name"]: stage for stage in report["stages"]}
    names = [stage["name"] for stage in report["stages"]]
    check(names == [name for name in STAGES if name in stages], "order of the stages:", names)
    for i, stage in enumerate(report["stages"]):
        before = report["stages"][i - 1] if i else None
        check(stage["parent"] == (before["name"] if before else None), "parent of", stage["name"])
        for number, line in enumerate(stage["lines"], 1):
            check_line(report, stage, before, number, line)
    instructions = [line for line in stages["ptx"]["lines"] if "op" in line]
    linked = [line for line in instructions if "from" in line]
    check(report["coverage"] == {"instructions": len(instructions), "linked": len(linked)}, "coverage")
    check(len(linked) >= 0.99 * len(instructions) > 0, len(linked), "of", len(instructions), "instructions are linked")
    for message in report["messages"]:
        check(message["severity"] in ("error", "warning", "note") and message["text"], message)
        check(all(line <= len(stages[message["stage"]]["lines"]) for line in message.get("lines", [])), message)
    check(all("op" in line for line in stages["ptx"]["lines"] if "cost" in line), "a cost without an instruction")
    totals = {stage["name"]: sums(stage["lines"]) for stage in report["stages"] if stage["name"] != "sass"}
    if len(linked) == len(instructions):
        check(all(total == totals["ptx"] for total in totals.values()), "the totals of stages differ:", totals)
    check_facts(report, stages)
    if arguments.ptx:
        plain = [line for line in open(arguments.ptx).read().splitlines()]
        check([line["text"] for line in stages["ptx"]["lines"]] == plain, "the PTX differs from that of nereid compile")
    if arguments.counters:
        counters = read_counters(arguments.counters)
        counters.pop("loops", None)
        check(report["counters"] == counters, "counters:", report["counters"], counters)
        total = {name: value for name, value in sums(stages["ptx"]["lines"]).items()
                 if name not in ("bank_conflicts",)}
        check(total == expected(counters), "sums over the lines:", total, expected(counters))
    reached = sum("cost" in line for line in report["stages"][0]["lines"])
    print("%d of %d instructions linked, %d lines of %s have a cost" % (len(linked), len(instructions), reached, names[0]))


if __name__ == "__main__":
    main()
