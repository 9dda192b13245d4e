"""Draws the dashboards with the answers of a Prometheus, for the documents.

Takes the address of the Prometheus, the folder of the dashboards, a NodePool, the folder for the pictures, and for how many
seconds they look back. Grafana draws the same panels with the same queries in its own way.
"""

import json
import math
import pathlib
import sys
import time
import urllib.parse
import urllib.request

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

CELL_WIDTH, CELL_HEIGHT = 0.62, 0.3
SHOWN_ROWS = 9


class Source:
    def __init__(self, address, pool, seconds):
        self.address = address
        self.pool = pool
        self.seconds = seconds
        self.end = int(time.time())

    def answer(self, target, instant):
        expression = (
            target["expr"]
            .replace("$pool", self.pool)
            .replace("$__rate_interval", "15s")
            .replace("$__range", f"{self.seconds}s")
        )
        query = {"query": expression}
        if instant:
            query |= {"time": self.end}
        else:
            query |= {"start": self.end - self.seconds, "end": self.end, "step": self.step()}
        path = "query" if instant else "query_range"
        with urllib.request.urlopen(f"{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}") as reply:
            return json.load(reply)["data"]["result"]

    def step(self):
        return max(1, self.seconds // 240)

    def minutes(self, instant):
        return (instant - self.end) / 60


def legend(target, labels):
    text = target.get("legendFormat", "")
    if text == "__auto":
        return ", ".join(value for key, value in sorted(labels.items()) if key != "__name__")
    for key, value in labels.items():
        text = text.replace("{{" + key + "}}", value)
    return text


def series(panel, source):
    for target in panel["targets"]:
        for each in source.answer(target, False):
            points = [(source.minutes(at), float(value)) for at, value in each["values"] if value != "NaN"]
            if points:
                yield legend(target, each["metric"]), points


def with_gaps(points, step):
    """The points as two lists, with nothing between those that are further apart than a step."""
    times, values, last = [], [], None
    for at, value in points:
        if last is not None and at - last > 1.5 * step:
            times.append(at)
            values.append(math.nan)
        times.append(at)
        values.append(value)
        last = at
    return times, values


def draw_lines(axes, panel, source):
    for name, points in series(panel, source):
        axes.plot(*with_gaps(points, source.step() / 60), label=name, linewidth=1.2)
    axes.set_ylim(bottom=0)
    axes.set_xlim(-source.seconds / 60, 0)
    axes.grid(alpha=0.25)
    if axes.lines:
        axes.legend(fontsize=5, loc="upper left", ncols=2)


def draw_states(axes, panel, source):
    named = list(series(panel, source))
    for place, (_, points) in enumerate(named):
        for at, value in points:
            if value > 0:
                axes.barh(place, source.step() / 60 * 1.2, left=at, height=0.7, color=f"C{place}")
    axes.set_yticks(range(len(named)), [name for name, _ in named], fontsize=5)
    axes.set_xlim(-source.seconds / 60, 0)


def draw_heat(axes, panel, source):
    named = list(series(panel, source))
    most = max((value for _, points in named for _, value in points), default=1)
    for place, (_, points) in enumerate(named):
        for at, value in points:
            axes.barh(
                place,
                source.step() / 60 * 1.2,
                left=at,
                height=0.9,
                color=plt.cm.YlOrRd(0.2 + 0.8 * value / most),
            )
    axes.set_yticks(range(len(named)), [name for name, _ in named], fontsize=5)
    axes.set_xlim(-source.seconds / 60, 0)


def draw_number(axes, panel, source):
    points = [points for _, points in series(panel, source)]
    axes.axis("off")
    axes.text(0.5, 0.45, f"{points[0][-1][1]:.3g}" if points else "no data", fontsize=20, ha="center", va="center")


def draw_table(axes, panel, source):
    answers = [each for target in panel["targets"] for each in source.answer(target, True)]
    axes.axis("off")
    if not answers:
        return
    labels = sorted({key for each in answers for key in each["metric"]} - {"__name__"})
    rows = [[each["metric"].get(key, "") for key in labels] + [f"{float(each['value'][1]):.4g}"] for each in answers]
    drawn = axes.table(rows[:SHOWN_ROWS], colLabels=labels + ["value"], loc="upper center", cellLoc="left")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(5)


def draw_bars(axes, panel, source):
    named = [(name, points[-1][1]) for name, points in series(panel, source)]
    axes.barh([name for name, _ in named], [value for _, value in named])
    axes.tick_params(labelsize=5)


DRAWN = {
    "timeseries": draw_lines,
    "state-timeline": draw_states,
    "heatmap": draw_heat,
    "stat": draw_number,
    "table": draw_table,
    "bargauge": draw_bars,
}


def draw(file, source, folder):
    board = json.loads(file.read_text())
    panels = board["panels"]
    height = max(each["gridPos"]["y"] + each["gridPos"]["h"] for each in panels)
    figure = plt.figure(figsize=(24 * CELL_WIDTH, height * CELL_HEIGHT), dpi=90)
    for panel in panels:
        place = panel["gridPos"]
        bottom = 1 - (place["y"] + place["h"]) / height
        if panel["type"] == "row":
            figure.text(0.01, bottom + 0.2 / height, panel["title"], fontsize=9, weight="bold")
            continue
        inner = [
            (place["x"] + (1.2 if panel["type"] != "state-timeline" else 4)) / 24,
            bottom + 1 / height,
            (place["w"] - (1.6 if panel["type"] != "state-timeline" else 4.4)) / 24,
            (place["h"] - 2.6) / height,
        ]
        axes = figure.add_axes(inner)
        axes.set_title(panel["title"], fontsize=7, loc="left")
        axes.tick_params(labelsize=5)
        DRAWN[panel["type"]](axes, panel, source)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{file.stem}.png")


def main():
    address, boards, pool, folder, seconds = sys.argv[1:]
    source = Source(address, pool, int(seconds))
    for file in sorted(pathlib.Path(boards).glob("*.json")):
        draw(file, source, pathlib.Path(folder))


if __name__ == "__main__":
    main()
