"""point.py CHROMIUM PAGE REPORT.json [RUN.txt]: uses the page of a report with the mouse and the keyboard of a browser.

Points at each source line, and at lines of the other stages that are shown: the marked rows of every column must be those that follow from
the links of the JSON, and be drawn as marked. With RUN.txt, the output of `nereid run --counters`, the totals in the page must be
its counters. Then keys, also those of the panel's divider, narrow windows and both themes.
"""
import json
import sys

from browser import Browser
from check_marks import expected as expected_marks
from check_report import expected as expected_counters, read_counters

ROW = "columns[stageIndex['%s']].rows[%d]"
METRICS = {"warp instructions": "warp_instructions", "global sectors": "global_sectors", "global bytes": "global_bytes",
           "shared wavefronts": "shared_wavefronts", "barriers": "barriers", "matrix instructions": "mma"}


def check(condition, *message):
    if not condition:
        sys.exit("point.py: " + " ".join(map(str, message)))


def point(browser, stages, name, number):
    """Moves the mouse over a line; returns whether the marks are the expected ones."""
    row = ROW % (name, number - 1)
    browser.evaluate(f"{row}.scrollIntoView({{block: 'center'}})")
    x, y = browser.evaluate(f"(() => {{const box = {row}.children[0].getBoundingClientRect(); return [box.x + 30, box.y + 9]}})()")
    browser.point(x, y)
    marks = "columns.map(column => column.rows.map((row, i) => row.classList.contains('mark') ? i + 1 : 0).filter(Boolean))"
    expected = [sorted(lines) for lines in expected_marks(stages, name, number)]
    check(browser.wait(marks, expected), name, number, "marked", browser.evaluate(marks), "expected", expected)
    drawn = browser.evaluate("""(() => {
      const sample = document.createElement('div');
      document.body.append(sample);
      const colors = ['--mark', '--line'].map(name => {
        sample.style.background = `var(${name})`;
        return getComputedStyle(sample).backgroundColor;
      });
      sample.remove();
      return columns.filter(column => !column.element.hidden).flatMap(column => column.rows).every(row =>
        colors.includes(getComputedStyle(row).backgroundColor) === (row.classList.contains('mark') || row.classList.contains('line')));
    })()""")
    check(drawn, name, number, "marked rows are not drawn as marked")


def point_at_lines(browser, stages):
    """At all source lines, and at twelve operations of each other stage that is shown."""
    count = 0
    for stage in stages:
        if not browser.evaluate(f"isShown(stageIndex['{stage['name']}'])"):
            continue
        numbers = [i for i, line in enumerate(stage["lines"], 1) if stage["parent"] is None or "op" in line]
        for number in numbers if stage["parent"] is None else numbers[::max(1, len(numbers) // 12)]:
            point(browser, stages, stage["name"], number)
            count += 1
    browser.point(5, 5)
    check(browser.wait("!document.querySelector('.row.mark')"), "marks stay when the mouse has left")
    return count


def compare_totals(browser, counters):
    """Chooses each counter for the bars, and reads its total from the table of the hottest lines."""
    browser.evaluate("showTab('hottest')")
    options = browser.evaluate("[...document.getElementById('metric').options].map(option => option.text)")
    count = 0
    for option in options:
        browser.evaluate(f"(() => {{const list = document.getElementById('metric'); list.value = '{option}'; list.dispatchEvent(new Event('change'))}})()")
        text = browser.evaluate("document.querySelector('#content p').innerText")
        value = counters.get(METRICS.get(option), 0)
        total = sum(value) if isinstance(value, list) else value
        if option in METRICS:
            check(f"by {option}, {total:,} in all" in text, text, "expected", total)
            count += 1
    shown = browser.evaluate("document.getElementById('facts').innerText")
    total = counters["warp_instructions"]
    check(f"{total:,} warp instructions" in shown, shown, "expected", total)
    return count


def use_keys(browser):
    browser.press("ArrowDown")
    check(browser.wait("selected && selected.number", 1), "an arrow selects the first line")
    browser.press("?")
    check(browser.wait("document.getElementById('keys').open"), "? shows the keys")
    browser.press("Escape")
    check(browser.wait("!document.getElementById('keys').open"), "Escape closes them")
    browser.press("/")
    check(browser.wait("document.activeElement.id", "search"), "/ goes to the search")
    browser.press("Escape")
    browser.evaluate("document.getElementById('divider').focus()")
    height = browser.evaluate("document.getElementById('panel').clientHeight")
    browser.press("ArrowUp")
    check(browser.wait(f"document.getElementById('panel').clientHeight > {height}"), "an arrow moves the divider")


def check_width(browser, width, theme):
    """Nothing but the columns may be wider than the window; one column is shown in a narrow one."""
    browser.resize(width, 800)
    browser.evaluate(f"setTheme('{theme}')")
    check(browser.wait(f"innerWidth === {width} && document.documentElement.scrollWidth <= innerWidth"), "the page is wider than", width)
    one = "columns.filter(column => !column.element.hidden).length === 1"
    check(browser.wait(one, width < 760), "number of columns at", width)


def main():
    command, page, report = sys.argv[1:4]
    stages = json.load(open(report))["stages"]
    browser = Browser(command)
    try:
        browser.open("file://" + page)
        opened = browser.evaluate("Number(document.body.dataset.opened)")
        count = point_at_lines(browser, stages)
        totals = compare_totals(browser, expected_counters(read_counters(sys.argv[4]))) if len(sys.argv) > 4 else 0
        use_keys(browser)
        for width, theme in ((1500, "light"), (1500, "dark"), (480, "dark"), (480, "light")):
            check_width(browser, width, theme)
        check(not browser.errors, browser.errors)
    finally:
        browser.close()
    print(f"{count} lines pointed at, {totals} totals compared; opened in {opened} ms")


main()
