"""The page of `stretto trace summary --html`, in a headless browser: page_test.py COMMAND. Exit code 77: no browser here.

With --pictures FOLDER it also leaves pictures of the page there, for somebody to look at.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest

import browser
import example_run

COMMAND = None
PICTURES = None


def page_of(run, folder):
    timeline, page = os.path.join(folder, "run.json"), os.path.join(folder, "page.html")
    run.write(timeline)
    subprocess.run([COMMAND, "trace", "summary", timeline, "--html", page], check=True, stdout=subprocess.DEVNULL)
    return page


def middle_of(view, task):
    """The point of the window where the bar of a task, by its index, has its middle."""
    return view.value(f"""(() => {{
      const box = chart.getBoundingClientRect(), row = layout.rows[layout.rowOf[{task}]];
      return [box.left + xOf((run.start[{task}] + run.end[{task}]) / 2), box.top + row.y + row.height / 2];
    }})()""")


class SmallPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="stretto-page-")
        cls.run_ = example_run.small()
        cls.page = page_of(cls.run_, cls.folder.name)
        cls.view = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.view.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.view.open(self.page)

    def tearDown(self):
        self.assertEqual(self.view.errors, [])

    def test_loads_without_errors_and_without_a_network(self):
        self.assertEqual([url for url in self.view.requests if not url.startswith(("file:", "data:"))], [])
        self.assertEqual(self.view.value("document.getElementById('title').textContent"), "train </script><b> & 20")
        self.assertEqual(self.view.value("document.querySelectorAll('#lanes tbody tr').length"),
                         len({task["track"] for task in self.run_.tasks}))

    def test_draws_a_bar_for_each_task(self):
        self.assertEqual(int(self.view.value("chart.dataset.bars")), len(self.run_.tasks))

    def test_pointing_at_a_task_tells_what_it_is(self):
        for index in (0, 5, len(self.run_.tasks) - 1):
            task = self.run_.tasks[index]
            self.view.mouse("mouseMoved", *middle_of(self.view, index))
            text = self.view.value("tip.hidden ? '' : tip.innerText")
            self.assertIn(f"{task['name']} · task {task['id']}", text)
            self.assertIn(task["line"], text)
            self.assertIn(task["track"], text)
            self.assertIn(task.get("shapes", ""), text)
        x, y = middle_of(self.view, 0)
        self.view.mouse("mouseMoved", 40, y)
        self.assertTrue(self.view.value("tip.hidden"))

    def test_pointing_at_a_wait_tells_its_cause(self):
        x, y = self.view.value("""(() => {
          const box = chart.getBoundingClientRect(), wait = data.waits[0], row = layout.rows.find(r => r.waits.length);
          return [box.left + xOf(wait.start + wait.duration / 2), box.top + row.y + 11];
        })()""")
        self.view.mouse("mouseMoved", x, y)
        text = self.view.value("tip.innerText")
        self.assertIn("host read", text)
        self.assertIn("wait for add", text)

    def test_clicking_keeps_a_task_with_what_it_comes_after(self):
        index = next(i for i, task in enumerate(self.run_.tasks) if task["name"] == "add")
        self.view.click(*middle_of(self.view, index))
        self.view.mouse("mouseMoved", 40, 400)
        text = self.view.value("details.innerText")
        self.assertIn(f"add · task {index + 1}", text)
        self.assertEqual(self.view.value("[...details.querySelector('.after').querySelectorAll('button')].length"),
                         len(self.run_.tasks[index]["after"]))
        self.view.key("Escape")
        self.assertIn("Nothing selected", self.view.value("details.innerText"))

    def test_wheel_zooms_where_the_mouse_is(self):
        x, y = map(round, middle_of(self.view, 3))
        before = self.view.value("[view.to - view.from, timeAt(500)]")
        time = self.view.value(f"timeAt({x} - chart.getBoundingClientRect().left)")
        self.view.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
        self.assertLess(self.view.value("view.to - view.from"), 0.7 * before[0])
        after = self.view.value(f"timeAt({x} - chart.getBoundingClientRect().left)")
        self.assertAlmostEqual(time, after, delta=before[0] * 1e-6)
        self.view.key("0")
        self.assertAlmostEqual(self.view.value("view.to - view.from"), before[0], delta=1)

    def test_keys_zoom_move_and_go_through_the_tasks(self):
        span = self.view.value("chart.focus(), view.to - view.from")
        self.view.key("+")
        self.assertAlmostEqual(self.view.value("view.to - view.from"), span / 1.5, delta=span * 1e-6)
        start = self.view.value("view.from")
        self.view.key("ArrowRight")
        self.assertGreater(self.view.value("view.from"), start)
        self.view.key("-")
        self.assertAlmostEqual(self.view.value("view.to - view.from"), span, delta=span * 1e-6)
        order = sorted(self.run_.tasks, key=lambda task: (task["start"], -task["end"], task["id"]))
        for task in order[:3]:
            self.view.key("Tab")
            self.assertEqual(self.view.value("data.id[state.kept]"), task["id"])
        self.view.key("Tab", shift=True)
        self.assertEqual(self.view.value("data.id[state.kept]"), order[1]["id"])
        self.view.key("?")
        self.assertTrue(self.view.value("help.open"))

    def test_a_row_of_the_waits_shows_its_task(self):
        self.view.value("document.querySelector('#waits tbody tr').click()")
        self.view.settle()
        self.assertEqual(self.view.value("state.kept"), self.view.value("data.largest[0].task >= 0 ? data.largest[0].task "
                                                                        ": data.largest[0].on"))

    def test_is_light_or_dark_as_the_reader_likes(self):
        back = "getComputedStyle(document.body).backgroundColor"
        light = self.view.value(back)
        self.view.key("d")
        self.assertNotEqual(self.view.value(back), light)
        with browser.Browser(dark=True) as dark:
            dark.open(self.page)
            self.assertEqual(dark.value(back), self.view.value(back))
            self.assertEqual(dark.errors, [])

    def test_a_narrow_window_has_all_of_it(self):
        with browser.Browser(width=420, height=800) as narrow:
            narrow.open(self.page)
            self.assertLessEqual(narrow.value("document.documentElement.scrollWidth"), 420)
            self.assertEqual(narrow.errors, [])
            if PICTURES:
                narrow.screenshot(os.path.join(PICTURES, "narrow.png"))

    def test_pictures(self):
        if not PICTURES:
            self.skipTest("no folder for pictures")
        self.view.screenshot(os.path.join(PICTURES, "light.png"))
        index = next(i for i, task in enumerate(self.run_.tasks) if task["name"] == "add")
        self.view.click(*middle_of(self.view, index))
        self.view.screenshot(os.path.join(PICTURES, "selected.png"), whole=False)
        self.view.key("d")
        self.view.screenshot(os.path.join(PICTURES, "dark.png"))


class OtherPages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stretto-page-")
        self.addCleanup(self.folder.cleanup)

    def test_of_nothing_and_of_one_task(self):
        with browser.Browser() as view:
            run = example_run.Timeline("nothing", [])
            view.open(page_of(run, self.folder.name))
            self.assertEqual(view.errors, [])
            self.assertEqual(view.value("chart.dataset.bars"), "0")
            run.task("only", "cpu:0 worker 1", 5.0, 2.0)
            view.open(page_of(run, self.folder.name))
            self.assertEqual(view.errors, [])
            self.assertEqual(view.value("chart.dataset.bars"), "1")

    def test_of_many_tasks_does_not_freeze(self):
        count = 100_000
        with browser.Browser() as view:
            view.open(page_of(example_run.large(count), self.folder.name))
            self.assertEqual(view.errors, [])
            self.assertEqual(view.value("run.count"), count)
            # From afar, columns of pixels stand for many tasks each.
            bars = int(view.value("chart.dataset.bars"))
            self.assertGreater(bars, 1000)
            self.assertLess(bars, 40_000)
            # What matters is the number of bars above; this only tells a frame from a freeze, on machines that are busy, too.
            self.assertLess(view.value("Math.min(...[1, 2, 3].map(() => (draw(), Number(chart.dataset.milliseconds))))"), 1000)
            # Close by, each is there.
            wanted = view.value("""(() => {
              const from = run.start[50000], to = from + 200000;
              setView(from, to);
              let count = 0;
              for (let i = 0; i < run.count; ++i) if (run.end[i] >= from && run.start[i] <= to) ++count;
              return count;
            })()""")
            view.settle()
            self.assertAlmostEqual(int(view.value("chart.dataset.bars")), wanted, delta=0.2 * wanted)
            view.mouse("mouseMoved", *middle_of(view, 50000))
            self.assertIn("task 50001", view.value("tip.innerText"))
            if PICTURES:
                view.screenshot(os.path.join(PICTURES, "large-close.png"), whole=False)
                view.key("0")
                view.screenshot(os.path.join(PICTURES, "large.png"), whole=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--pictures")
    arguments, rest = parser.parse_known_args()
    if browser.find() is None:
        print(f"no browser here: none of {', '.join(browser.NAMES)} (Debian's package chromium)")
        sys.exit(77)
    COMMAND, PICTURES = os.path.abspath(arguments.command), arguments.pictures
    unittest.main(argv=sys.argv[:1] + rest)
