"""Timeline files for tests, as STRETTO_TRACE writes them."""

import json
import random


class Timeline:
    def __init__(self, command, devices):
        self._tracks = {}
        self._lines = [json.dumps({"ph": "M", "name": "stretto", "pid": 1, "tid": 0, "args": {
            "format": 1, "version": "0.1.0", "engine": "parallel", "command": command, "devices": devices}})]
        self.tasks = []

    def track(self, name):
        if name not in self._tracks:
            self._tracks[name] = len(self._tracks) + 1
            self._lines.append(json.dumps({"ph": "M", "name": "thread_name", "pid": 1, "tid": self._tracks[name],
                                           "args": {"name": name}}))
        return self._tracks[name]

    def task(self, name, track, start, duration, **args):
        """Times in microseconds; returns the id."""
        args = {"id": len(self.tasks) + 1, "device": track.split(" ")[0], "role": "compute", "submitted": 0.0, **args}
        self.tasks.append({"name": name, "track": track, "start": start, "end": start + duration, **args})
        self._lines.append(json.dumps({"ph": "X", "name": name, "cat": "task", "pid": 1, "tid": self.track(track),
                                       "ts": round(start, 3), "dur": round(duration, 3), "args": args}))
        return args["id"]

    def wait(self, cause, start, duration, **args):
        self._lines.append(json.dumps({"ph": "X", "name": args.pop("name", cause), "cat": "wait", "pid": 1,
                                       "tid": self.track("program"), "ts": start, "dur": duration,
                                       "args": {"cause": cause, **args}}))

    def counter(self, name, time, **value):
        self._lines.append(json.dumps({"ph": "C", "name": name, "pid": 1, "ts": time, "args": value}))

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"displayTimeUnit":"ns","traceEvents":[\n' + ",\n".join(self._lines) + "\n]}\n")


def small():
    """Two simulated GPUs that compute and copy to each other and to the CPU."""
    random.seed(7)
    run = Timeline("train </script><b> & 20", [{"name": "cpu:0", "workers": 2}, {"name": "sim:0", "streams": 2},
                                               {"name": "sim:1", "streams": 2}])
    run.track("program")
    free = {}
    submitted = 0.0
    before = {}
    for step in range(6):
        sums = []
        for device in ("sim:0", "sim:1"):
            last = before.get(device)
            for layer, part in ((1, "forward"), (2, "forward"), (2, "backward"), (1, "backward")):
                lane = f"{device} stream 0"
                start = max(free.get(lane, 0), submitted + 8, *(run.tasks[i - 1]["end"] + 2 for i in [last] if i))
                submitted += 3
                last = run.task("matmul" if part == "forward" else "matmul_gradient", lane, start, 90 + random.random() * 40,
                                line=f"network.cpp:{20 + layer}", submitted=submitted, section=f"layer{layer}/{part}",
                                shapes="(256, 784) float32, (784, 256) float32 -> (256, 256) float32", bytes=1867776,
                                after=[[last, "raw"]] if last else [])
                free[lane] = start + run.tasks[last - 1]["end"] - run.tasks[last - 1]["start"]
                if part == "backward":
                    copy_lane = f"{device} to host"
                    start = max(free.get(copy_lane, 0), run.tasks[last - 1]["end"] + 1)
                    submitted += 2
                    sums.append(run.task("to", copy_lane, start, 60, role="to host", line="network.cpp:31", bytes=802816,
                                         submitted=submitted, after=[[last, "raw"]], section=f"layer{layer}/backward"))
                    free[copy_lane] = start + 60
            before[device] = last
        start = max(run.tasks[i - 1]["end"] for i in sums) + 3
        submitted += 4
        total = run.task("add", f"cpu:0 worker {step % 2 + 1}", start, 30, line="network.cpp:35", submitted=submitted,
                         after=[[i, "raw"] for i in sums], section="update")
        for device in ("sim:0", "sim:1"):
            lane = f"{device} from host"
            back = run.task("to", lane, start + 31, 55, role="from host", line="network.cpp:36", bytes=802816,
                            submitted=submitted, after=[[total, "raw"]], section="update")
            before[device] = back
        run.wait("host read", start - 60, 90 + 5, name="wait for add", line="network.cpp:40", **{"for": total})
        submitted = max(submitted, start + 36)
        run.counter("memory sim:0", start, bytes=1 << 20 if step % 2 else 3 << 20)
    return run


def large(count=100_000):
    """So many short tasks on 16 streams, at random."""
    random.seed(11)
    run = Timeline(f"large {count}", [{"name": f"sim:{i}", "streams": 4} for i in range(4)])
    lanes = [f"sim:{i} stream {k}" for i in range(4) for k in range(4)]
    free = dict.fromkeys(lanes, 0.0)
    for number in range(count):
        lane = random.choice(lanes)
        after = [[random.randrange(max(1, number - 200), number + 1), "raw"]] if number > 10 else []
        start = max([free[lane]] + [run.tasks[i - 1]["end"] for i, _ in after]) + random.random()
        duration = random.expovariate(1 / 5)
        run.task(random.choice(["matmul", "relu", "add", "sum"]), lane, start, duration, after=after,
                 submitted=max(0.0, start - 50), line=f"large.cpp:{random.randrange(10, 30)}")
        free[lane] = start + duration
    return run
