#!/usr/bin/env python3
"""simulate.py WORKER [--processes N] [--keys N] [--requests N] [--compile MS]: a fleet that requests kernels from a store.

Processes stand for machines: each requests REQUESTS units out of KEYS, where the k-th most popular one has a probability proportional
to 1/k (Zipf), and "compiles" a missing one by sleeping, so that more processes than cores can be simulated. Rows: a server;
a folder of each machine and a server; a folder that all share; the same with a server; a folder of each machine. Columns: units compiled, how
many of these another process had compiled or was compiling (duplicated), hits in the folder and on the server, hit rate, seconds
until the last process ended, milliseconds of a hit (median, and 99 % are faster; with the time that a process waited for
another one's compilation)."""
import argparse
import json
import os
import shutil
import subprocess
import tempfile

from redis_server import Server, program


def run(options, folder, own_folder, shared_folder, server):
    processes = []
    for i in range(options.processes):
        place = os.path.join(folder, "shared" if shared_folder else f"machine-{i}") if own_folder or shared_folder else "-"
        words = [options.worker, "request", place, server.url if server else "-", "/dev/null", str(i + 1), "60000",
                 str(options.compile), str(options.requests), str(options.keys)]
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
    return [json.loads(process.communicate()[0]) for process in processes]


def report(name, results, distinct):
    total = {key: sum(result[key] for result in results) for key in results[0]}
    requests, compiled = total["requests"], total["compiled"]
    median = sorted(result["hit_median"] for result in results)[len(results) // 2]
    print(f"| {name} | {compiled} | {compiled - distinct if distinct else '-'} | {total['folder_hits']} | {total['server_hits']} | "
          f"{100 * (requests - compiled) / requests:.1f} % | {max(result['seconds'] for result in results):.1f} | {median:.2f} | "
          f"{max(result['hit_p99'] for result in results):.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("worker")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--keys", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--compile", type=int, default=50, help="milliseconds of a compilation")
    options = parser.parse_args()
    distinct = 0  # keys that were requested: with the server each is compiled once
    print(f"{options.processes} processes, {options.keys} keys, {options.requests} requests each, {options.compile} ms per compilation\n")
    print("| store | compiled | duplicated | folder hits | server hits | hit rate | s | hit ms | 99 % |\n|---|---|---|---|---|---|---|---|---|")
    rows = [("server", False, False, True), ("folder of each machine and server", True, False, True),
            ("shared folder", False, True, False), ("shared folder and server", False, True, True),
            ("folder of each machine", True, False, False)]
    for name, own_folder, shared_folder, has_server in rows:
        if has_server and not program():
            continue
        folder = tempfile.mkdtemp(prefix="nereid-simulation-")
        server = Server(folder) if has_server else None
        try:
            if server:
                server.start()
            results = run(options, folder, own_folder, shared_folder, server)
            distinct = distinct or (sum(result["compiled"] for result in results) if has_server else 0)
            report(name, results, distinct)
        finally:
            if server:
                server.stop()
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
