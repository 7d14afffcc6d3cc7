'use strict';
// The critical path, and the edges of the task that is looked at.

const middleOf = (row) => row.y + row.height / 2;
const rowOfTask = (task) => layout.rows[layout.rowOf[task]];
const programRow = layout.rows.find((row) => row.track === data.programTrack);

const path = data.path.map(([task, start, end]) => ({ task, start, end }));
const isOnPath = new Set(data.path.map(([task]) => task).filter((task) => task >= 0));

// Ends of path steps are in the order of time, so the visible ones lie together.
function firstStepFrom(time) {
  let low = 0, high = path.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (path[middle].end < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function drawPath(context) {
  context.fillStyle = paint.path;
  context.strokeStyle = paint.path;
  context.lineWidth = 1.5;
  let before = null, lastColumn = -1;
  const bars = new Path2D(), connections = new Path2D();
  let count = 0;
  for (let i = Math.max(0, firstStepFrom(view.from) - 1); i < path.length && path[i].start <= view.to; ++i) {
    const step = path[i], row = step.task >= 0 ? rowOfTask(step.task) : programRow;
    if (!row) continue;
    const x0 = xOf(step.start), x1 = Math.max(x0 + 1, xOf(step.end));
    if (before && before.row === row && Math.floor(x1) === lastColumn) continue;
    bars.rect(x0, row.y + row.height - 3, x1 - x0, 3);
    if (before && before.row !== row) {
      const y0 = before.row.y + before.row.height - 1.5, y1 = row.y + row.height - 1.5;
      connections.moveTo(before.x, y0);
      connections.lineTo(x0, y1);
      ++count;
    }
    before = { row, x: x1 };
    lastColumn = Math.floor(x1);
  }
  context.save();
  context.clip(clipOfPlot());
  context.fill(bars);
  // Many lines side by side would hide the bars.
  context.globalAlpha = Math.min(1, Math.max(0.12, view.width / 8 / Math.max(1, count)));
  context.stroke(connections);
  context.restore();
}

function clipOfPlot() {
  const plot = new Path2D();
  plot.rect(view.gutter, 22, view.width - view.gutter, layout.height - 22);
  return plot;
}

function drawArrow(context, from, to, isStrong) {
  const start = rowOfTask(from), end = rowOfTask(to);
  const x0 = xOf(run.end[from]), y0 = middleOf(start), x1 = xOf(run.start[to]), y1 = middleOf(end);
  const bend = Math.max(18, Math.min(80, Math.abs(x1 - x0) / 2));
  context.globalAlpha = isStrong ? 1 : 0.55;
  context.setLineDash(isStrong ? [] : [4, 3]);
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 2, y1);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7, y1 - 3.5);
  context.lineTo(x1 - 7, y1 + 3.5);
  context.fill();
  context.globalAlpha = 1;
}

function drawSelection(context) {
  const task = state.hover !== null ? state.hover : state.kept;
  context.save();
  context.clip(clipOfPlot());
  for (const one of new Set([state.kept, task])) {
    if (one === null) continue;
    const row = rowOfTask(one), x0 = xOf(run.start[one]), x1 = Math.max(x0 + 3, xOf(run.end[one]));
    context.strokeStyle = paint.text;
    context.lineWidth = 2;
    context.strokeRect(x0 - 1, row.y - 1, x1 - x0 + 1.5, row.height + 2);
  }
  if (task !== null) {
    const most = 100;
    context.strokeStyle = context.fillStyle = paint.text;
    context.lineWidth = 1.6;
    const end = Math.min(run.edgeBegin[task + 1], run.edgeBegin[task] + most);
    for (let k = run.edgeBegin[task]; k < end; ++k) drawArrow(context, run.edgeFrom[k], task, true);
    context.strokeStyle = context.fillStyle = paint.soft;
    for (const after of successors(task).subarray(0, most)) drawArrow(context, task, after, false);
  }
  context.restore();
}

// The task under a point of the chart, or within three pixels of it; null where there is none.
function taskAt(x, y) {
  if (x < view.gutter) return null;
  const row = layout.rows.find((one) => y >= one.y - 1 && y < one.y + one.height + 1);
  if (!row) return null;
  const time = timeAt(x), reach = 3 / view.scale;
  const next = firstFrom(row.tasks, time);
  let best = null, distance = reach;
  for (const i of [next - 1, next]) {
    if (i < 0 || i >= row.tasks.length) continue;
    const task = row.tasks[i];
    const away = Math.max(0, run.start[task] - time, time - run.end[task]);
    if (away < distance || (away === 0 && best === null)) {
      best = task;
      distance = away;
    }
  }
  return best;
}

function waitAt(x, y) {
  if (x < view.gutter) return null;
  const row = layout.rows.find((one) => y >= one.y && y < one.y + one.height);
  const time = timeAt(x);
  const found = row && row.waits.find((index) => {
    const wait = data.waits[index];
    return time >= wait.start && time <= wait.start + wait.duration;
  });
  return found === undefined || found === null ? null : data.waits[found];
}
