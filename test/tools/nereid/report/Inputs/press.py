"""press.py PAGE KEY...: prints the page with a script that presses the keys after it has been opened."""
import json
import sys

events = "".join("(document.activeElement || document.body).dispatchEvent(new KeyboardEvent('keydown', {key: %s, bubbles: true}));\n"
                 % json.dumps(key) for key in sys.argv[2:])
print(open(sys.argv[1]).read().replace("</body>", "<script>\n%s</script>\n</body>" % events))
