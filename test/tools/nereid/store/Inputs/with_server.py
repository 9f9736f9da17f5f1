"""with_server.py FOLDER COMMAND...: runs the command in FOLDER while a Redis server runs, whose URL is in the variable URL."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../../../bench/store"))
from redis_server import Server

server = Server(sys.argv[1])
server.start()
try:
    server.call("CONFIG", "SET", "requirepass", "secret")
    code = subprocess.run(sys.argv[2:], cwd=sys.argv[1], env={**os.environ, "URL": server.url}).returncode
finally:
    server.stop()
sys.exit(code)
