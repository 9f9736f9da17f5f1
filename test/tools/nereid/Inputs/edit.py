"""edit.py IN OUT OLD=>NEW...: replaces every match of each regular expression; an expression without a match is an error."""
import re
import sys

text = open(sys.argv[1]).read()
for rule in sys.argv[3:]:
    old, new = rule.split("=>")
    text, count = re.subn(old, new, text)
    if not count:
        sys.exit(f"{sys.argv[1]}: no match of {old}")
open(sys.argv[2], "w").write(text)
