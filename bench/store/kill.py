#!/usr/bin/env python3
"""kill.py WORKER NEREID [--seconds N] [--processes N] [--server] [--seed N]: fault test of the store.

Processes (store_worker) fill one store, and one of them is killed at random about every 50 ms and replaced. With --server they also
share a Redis server, which is killed and started again, paused, and filled during the run. Afterwards:

  - each unit whose put had returned is there, with the right contents: nothing is lost
  - no process ever read a wrong or damaged unit
  - each file in the folder is a complete unit
  - no lease had the same token for longer than its expiry, and none is left after it
  - the server was used: units were read from it (--server)

Prints a report; exit status 1 when one of these does not hold. The CI runs it for seconds; run ten minutes after changes of
the store: --seconds 600, with and without --server."""
import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from redis_server import Server

LEASE = 1.0  # seconds
COMPILE = 5  # milliseconds


class Test:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.store = os.path.join(folder, "store")
        self.server = Server(folder) if options.server else None
        self.random = random.Random(options.seed)
        self.start = time.time()
        self.workers = []
        self.n_started = self.n_killed = 0
        self.faults = collections.Counter()
        self.leases = {}  # name -> (token, time of the first sight)
        self.stuck = []
        self.most_units = 0  # on the server at one time
        self.healthy_at = 0.0  # when the current fault ends
        self.repair = None

    def start_worker(self):
        log = os.path.join(self.folder, f"log-{self.n_started}")
        self.n_started += 1
        url = self.server.url if self.server else "-"
        words = [self.options.worker, "fill", self.store, url, log, str(self.start), str(int(LEASE * 1000)), str(COMPILE)]
        return subprocess.Popen(words)

    def kill_worker(self):
        index = self.random.randrange(len(self.workers))
        self.workers[index].kill()
        if self.workers[index].wait() != -9:
            sys.exit("a worker ended by itself")
        self.n_killed += 1
        self.workers[index] = self.start_worker()

    def begin_fault(self):
        """Breaks the server for up to three seconds."""
        kind = self.random.choice(["restart", "pause", "fill", "away"])
        self.faults[kind] += 1
        length = self.random.uniform(0.2, 3)
        if kind == "restart":
            self.server.stop()
            self.server.start()
            length = 0
        elif kind == "pause":
            self.server.pause()
            self.repair = self.server.resume
        elif kind == "fill":
            self.server.call("CONFIG", "SET", "maxmemory", "1")
            self.repair = lambda: self.server.call("CONFIG", "SET", "maxmemory", "0")
        else:
            self.server.stop()
            self.repair = self.server.start
        self.healthy_at = time.time() + length

    def end_fault(self):
        if self.repair:
            self.repair()
        self.repair = None

    def watch_leases(self):
        """Remembers each lease with its token. A lease without an expiry, or one that lives on, is stuck."""
        now = time.time()
        seen = {}
        for name in self.server.call("KEYS", "nereid:1:*:lease"):
            token = self.server.call("GET", name)
            if token is None:
                continue
            known = self.leases.get(name)
            seen[name] = known if known and known[0] == token else (token, now)
            if now - seen[name][1] > LEASE + 0.5 or self.server.call("PTTL", name) == -1:
                self.stuck.append(name)
        self.leases = seen
        self.most_units = max(self.most_units, len(self.server.call("KEYS", "nereid:1:*")) - len(seen))

    def run(self):
        if self.server:
            self.server.start()
        self.workers = [self.start_worker() for _ in range(self.options.processes)]
        end = self.start + self.options.seconds
        next_fault, next_watch = self.start + 2, self.start
        while time.time() < end:
            time.sleep(self.random.uniform(0.01, 0.1))
            self.kill_worker()
            now = time.time()
            if self.server and self.repair and now > self.healthy_at:
                self.end_fault()
                next_fault = now + self.random.uniform(1, 3)
            elif self.server and not self.repair and now > next_fault:
                self.begin_fault()
                next_fault = now + 2
            elif self.server and not self.repair and now > next_watch:
                self.watch_leases()
                next_watch = now + 0.2
        if self.server:
            self.end_fault()
        for worker in self.workers:
            worker.kill()
            worker.wait()

    def check(self):
        """Returns the problems; prints the report."""
        kinds, stored = collections.Counter(), set()
        for name in os.listdir(self.folder):
            if name.startswith("log-"):
                with open(os.path.join(self.folder, name)) as log:
                    for line in log:
                        kind, number = line.split()
                        kinds[kind] += 1
                        if kind == "S":
                            stored.add(int(number))
        checked = subprocess.run([self.options.worker, "check", self.store], input="\n".join(map(str, sorted(stored))),
                                 capture_output=True, text=True)
        verified = subprocess.run([self.options.nereid, "store", "verify", "--store", self.store], capture_output=True,
                                  text=True)
        leftover = len(os.listdir(os.path.join(self.store, "tmp")))
        print(f"{self.options.seconds} s, {self.n_started} processes, {self.n_killed} killed; {kinds['S']} puts of {len(stored)} "
              f"units, {kinds['E']} reports of failures, {leftover} temporary files")
        print(f"faults of the server: {dict(self.faults)}" if self.server else "without a server")
        print("verify:", verified.stdout.strip())
        problems = [f"lost: {line}" for line in checked.stdout.splitlines()]
        if checked.returncode not in (0, 1):
            problems.append(checked.stderr)
        if kinds["W"] or kinds["D"]:
            problems.append(f"{kinds['W']} wrong and {kinds['D']} damaged units were read")
        if verified.returncode:
            problems.append("verify failed: " + verified.stdout + verified.stderr)
        if self.stuck:
            problems.append(f"{len(self.stuck)} leases stuck")
        if not stored:
            problems.append("nothing was stored")
        if self.server:
            time.sleep(LEASE + 0.5)
            left = self.server.call("KEYS", "nereid:1:*:lease")
            print(f"at most {self.most_units} units on the server; {len(left)} leases after their expiry")
            if left:
                problems.append(f"{len(left)} leases are left after their expiry")
            if not self.most_units:
                problems.append("the server was not used")
        return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("worker")
    parser.add_argument("nereid")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="nereid-kill-")
    test = Test(options, folder)
    try:
        test.run()
        problems = test.check()
    finally:
        for worker in test.workers:
            worker.kill()
            worker.wait()
        if test.server:
            test.server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    for problem in problems[:20]:
        print("problem:", problem)
    print("failed" if problems else "passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
