"""timeline.py FILE PROPERTY...: checks a timeline of `nereid run --timeline`.

Always: the format (each event has its process and track, each track a name), durations are positive, and the slices of a track
nest. PROPERTY is one of

  processes=N             there are N CTAs
  tracks=NAME,...         these tracks exist in each of them, and no others
  overlap=A,B             some operation of category A is in flight while one of category B is
  rows=NAME,N             a track needs N rows, as that many of its slices overlap without being nested
  hand-over=P,C           warps P and warps C wait at mbarriers: during each wait for more than one step the other warps
                          arrive, and there are such waits
  sources=FILE            all waits, issues and operations name a line of that file
"""
import json
import sys
from collections import defaultdict

trace = json.load(open(sys.argv[1]))
events = trace["traceEvents"]
processes, names, tracks = {}, {}, defaultdict(list)
for event in events:
    if event["ph"] == "M" and event["name"] == "process_name":
        processes[event["pid"]] = event["args"]["name"]
    if event["ph"] == "M" and event["name"] == "thread_name":
        names[event["pid"], event["tid"]] = event["args"]["name"]
    if event["ph"] == "X":
        assert event["pid"] in processes, event
        tracks[event["pid"], event["tid"]].append(event)
    assert event["ph"] in "MX", event


def end(event):
    return event["ts"] + event["dur"]


for key, track in tracks.items():
    open_ends, last = [], 0
    assert key in names, key
    for event in track:
        assert event["dur"] > 0 and event["ts"] >= last, event
        last = event["ts"]
        while open_ends and open_ends[-1] <= last:
            open_ends.pop()
        assert not open_ends or end(event) <= open_ends[-1], event
        open_ends.append(end(event))


def of_category(category):
    return [event for track in tracks.values() for event in track if event["cat"] == category]


def of_warps(warps, category):
    first, _, last = warps.partition("-")
    wanted = {f"warp {w}" for w in range(int(first), int(last or first) + 1)}
    return [e for key, track in tracks.items() if names[key] in wanted for e in track if e["cat"] == category]


def overlap(a, b):
    pairs = [(x, y) for x in of_category(a) for y in of_category(b)
             if x["pid"] == y["pid"] and x["ts"] < end(y) and y["ts"] < end(x)]
    assert pairs, f"no {a} overlaps a {b}"


def hand_over(producers, consumers):
    for one, other in ((producers, consumers), (consumers, producers)):
        waits = of_warps(one, "mbarrier")
        arrivals = {end(e) for e in of_warps(other, "issue") if e["name"].startswith("mbarrier.arrive")}
        assert waits, f"warps {one} have no mbarrier"
        for wait in waits:
            assert wait["dur"] == 1 or any(wait["ts"] < at <= end(wait) for at in arrivals), wait
    assert any(e["dur"] > 1 for e in of_category("mbarrier")), "no wait takes time"


for argument in sys.argv[2:]:
    key, _, value = argument.partition("=")
    if key == "processes":
        assert len(processes) == int(value), processes
    elif key == "tracks":
        for process in processes:
            assert {names[k] for k in tracks if k[0] == process} == set(value.split(",")), names
    elif key == "overlap":
        overlap(*value.split(","))
    elif key == "rows":
        name, count = value.split(",")
        assert list(names.values()).count(name) == int(count), names
    elif key == "hand-over":
        hand_over(*value.split(","))
    elif key == "sources":
        for track in tracks.values():
            for event in track:
                assert event["cat"] == "run" or value in event["args"]["source"], event
    else:
        sys.exit(f"unknown property {argument}")
