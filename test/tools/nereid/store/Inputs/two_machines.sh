# two_machines.sh IR: compiles on two "machines" with folders of their own.
set -euo pipefail
compile() { # FOLDER OUT
  nereid compile "$ir" --emit ptx --store "$1" --store "$URL" -o "$2" --time 2>&1
}
ir=$1
export NEREID_REDIS_PASSWORD=secret
echo "first: $(compile one first.ptx | grep -oE '^  (read|store)')" | tr -s ' '
echo "second: $(compile two second.ptx | grep -oE '^  (read|store)')" | tr -s ' '
export NEREID_REDIS_PASSWORD=wrong
echo "wrong password: $(compile three third.ptx | grep warning)"
URL=unix:///nowhere
echo "away: $(compile four fourth.ptx | grep warning)"
cmp first.ptx second.ptx && cmp first.ptx third.ptx && cmp first.ptx fourth.ptx && cmp first.ptx.json second.ptx.json
diff -r one two && echo "same results"
