'use strict';
// Draws the timeline. Where many tasks share a pixel, one column stands for them, found by binary search: a frame costs
// what is visible, not what was recorded.

const chart = document.getElementById('chart');
const overview = document.getElementById('overview');

const layout = (() => {
  // A bar lies in the row of its track and of its depth: a task that ran inside another lies below it.
  const stacks = data.tracks.map(() => []);
  const rowsOfTrack = data.tracks.map(() => []);
  const rowOf = new Uint32Array(run.count);
  const order = Array.from({ length: run.count }, (_, i) => i);
  order.sort((a, b) => run.start[a] - run.start[b] || run.end[b] - run.end[a] || a - b);
  for (const task of order) {
    const stack = stacks[data.track[task]];
    // Rounded times may overlap a little; what ran inside another ended inside it.
    while (stack.length && (run.end[stack[stack.length - 1]] <= run.start[task] || run.end[stack[stack.length - 1]] < run.end[task])) stack.pop();
    const rows = rowsOfTrack[data.track[task]];
    if (!rows[stack.length]) rows[stack.length] = { tasks: [] };
    rows[stack.length].tasks.push(task);
    stack.push(task);
  }
  const waitsOfTrack = data.tracks.map(() => []);
  data.waits.forEach((wait, index) => waitsOfTrack[wait.track].push(index));

  const height = 22, gap = 5;
  const rows = [];
  let y = 26;
  const labels = [];
  let device = null;
  data.tracks.forEach((name, track) => {
    if (!rowsOfTrack[track].length && !waitsOfTrack[track].length && !(track === data.programTrack)) return;
    const owner = name.split(' ')[0];
    if (device !== null && owner !== device) y += 7;
    device = owner;
    labels.push({ text: name, y, track });
    const count = Math.max(1, rowsOfTrack[track].length);
    for (let depth = 0; depth < count; ++depth) {
      const tasks = Uint32Array.from(rowsOfTrack[track][depth] ? rowsOfTrack[track][depth].tasks : []);
      const busy = new Float64Array(tasks.length + 1);
      tasks.forEach((task, i) => {
        busy[i + 1] = busy[i] + run.end[task] - run.start[task];
        rowOf[task] = rows.length;
      });
      rows.push({ track, tasks, busy, y, height, waits: depth === 0 ? waitsOfTrack[track] : [] });
      y += height + 2;
    }
    y += gap;
  });
  const isUsed = (counter) => counter.values.some((value) => value !== 0);
  const counters = data.counters.filter(isUsed).map((counter) => {
    const place = { ...counter, y: y + 4, height: 34, most: counter.values.reduce((a, b) => Math.max(a, b), 1) };
    y += 44;
    return place;
  });
  return { rows, rowOf, labels, counters, byStart: Uint32Array.from(order), height: y + 6, waitsOfTrack };
})();

const view = { from: 0, to: Math.max(1, run.total), width: 0, gutter: 150, scale: 1 };
const state = { hover: null, kept: null, line: null, path: true, pointer: null };

const fitView = () => {
  const margin = Math.max(1, run.total) * 0.01;
  view.from = -margin;
  view.to = Math.max(1, run.total) + margin;
};
const xOf = (time) => view.gutter + (time - view.from) * view.scale;
const timeAt = (x) => view.from + (x - view.gutter) / view.scale;

// The first index whose task starts at or after `time`.
function firstFrom(tasks, time, low = 0) {
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.start[tasks[middle]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let paint = {};
const readColours = () => {
  for (const name of ['text', 'soft', 'line', 'stripe', 'card', 'accent', 'path', 'bar', 'bar-back']) {
    paint[name] = style(`--${name}`);
  }
};

function prepare(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  context.textBaseline = 'middle';
  return context;
}

function drawAxis(context) {
  const span = view.to - view.from, wanted = Math.max(2, (view.width - view.gutter) / 110);
  let step = 10 ** Math.floor(Math.log10(span / wanted));
  for (const factor of [2, 2.5, 2]) if (span / step > wanted) step *= factor;
  context.textAlign = 'center';
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = Math.round(xOf(time)) + 0.5;
    context.fillStyle = paint.line;
    context.fillRect(x - 0.5, 22, 1, layout.height - 22);
    context.fillStyle = paint.soft;
    const text = tickText(time, step);
    const half = context.measureText(text).width / 2 + 4;
    if (x > view.gutter + half && x < view.width - half) context.fillText(text, x, 11);
  }
}

function drawLabels(context) {
  context.fillStyle = paint.card;
  context.fillRect(0, 0, view.gutter, layout.height);
  context.textAlign = 'left';
  context.fillStyle = paint.text;
  for (const label of layout.labels) context.fillText(label.text, 14, label.y + 11, view.gutter - 22);
  context.fillStyle = paint.soft;
  for (const counter of layout.counters) {
    context.fillText(counter.name, 14, counter.y + 10, view.gutter - 22);
    const most = counter.unit === 'bytes' ? bytesText(counter.most) : `${counter.most} ${counter.unit}`;
    context.fillText(`up to ${most}`, 14, counter.y + 25, view.gutter - 22);
  }
}

function drawBar(context, task, row, x0, x1) {
  const left = Math.max(x0, view.gutter - 2), right = Math.min(x1, view.width + 2), width = Math.max(1, right - left);
  context.fillStyle = colourOf(task);
  if (width > 5) {
    context.beginPath();
    context.roundRect(left, row.y, width - 0.6, row.height, 3);
    context.fill();
  } else {
    context.fillRect(left, row.y, Math.max(1, width - 0.4), row.height);
  }
  if (isCopy(task) && width > 6) {
    context.save();
    context.beginPath();
    context.rect(left, row.y, width - 0.6, row.height);
    context.clip();
    context.strokeStyle = 'rgb(255 255 255 / 30%)';
    context.lineWidth = 2;
    context.beginPath();
    for (let x = left - row.height - ((left - x0) % 7); x < right; x += 7) {
      context.moveTo(x, row.y + row.height);
      context.lineTo(x + row.height, row.y);
    }
    context.stroke();
    context.restore();
  }
  if (width > 30) {
    context.fillStyle = '#fff';
    context.textAlign = 'left';
    const text = fittedText(context, nameOf(task), width - 10);
    if (text) context.fillText(text, left + 5, row.y + row.height / 2 + 0.5);
  }
}

const textWidths = new Map();
function fittedText(context, text, width) {
  if (!textWidths.has(text)) textWidths.set(text, context.measureText(text).width);
  const whole = textWidths.get(text);
  if (whole <= width) return text;
  const length = Math.floor((text.length * (width - 10)) / whole);
  return length < 2 ? '' : `${text.slice(0, length)}…`;
}

// Returns how many bars and columns it drew.
function drawRow(context, row) {
  const pixel = 1 / view.scale;
  let drawn = 0;
  let i = Math.max(0, firstFrom(row.tasks, view.from) - 1);
  while (i < row.tasks.length) {
    const task = row.tasks[i];
    if (run.start[task] > view.to) break;
    const x0 = xOf(run.start[task]), x1 = xOf(run.end[task]);
    if (x1 < view.gutter) {
      ++i;
      continue;
    }
    context.globalAlpha = state.line !== null && data.line[task] !== state.line ? 0.15 : 1;
    if (x1 - x0 >= 1.5) {
      drawBar(context, task, row, x0, x1);
      ++i;
    } else {
      const column = Math.floor(x0);
      const next = Math.max(i + 1, firstFrom(row.tasks, timeAt(column + 1), i + 1));
      const busy = Math.min(1, (row.busy[next] - row.busy[i]) / pixel);
      context.globalAlpha *= 0.4 + 0.6 * busy;
      context.fillStyle = colourOf(task);
      context.fillRect(column, row.y, 1, row.height);
      i = next;
    }
    ++drawn;
  }
  context.globalAlpha = 1;
  return drawn;
}

function drawWaits(context, row) {
  for (const index of row.waits) {
    const wait = data.waits[index];
    const x0 = Math.max(xOf(wait.start), view.gutter), x1 = Math.min(xOf(wait.start + wait.duration), view.width);
    if (x1 < view.gutter || x0 > view.width) continue;
    context.fillStyle = causeColours[wait.cause] || paint.soft;
    context.globalAlpha = 0.2;
    context.fillRect(x0, row.y, Math.max(1, x1 - x0), row.height);
    context.globalAlpha = 1;
    context.fillRect(x0, row.y + row.height - 3, Math.max(1, x1 - x0), 3);
    if (x1 - x0 > 40) {
      context.fillStyle = paint.text;
      context.textAlign = 'left';
      const text = fittedText(context, wait.name, x1 - x0 - 10);
      if (text) context.fillText(text, x0 + 5, row.y + row.height / 2 - 0.5);
    }
  }
}

function drawCounter(context, counter) {
  const base = counter.y + counter.height;
  const yOf = (value) => base - (value / counter.most) * (counter.height - 4);
  context.beginPath();
  context.moveTo(view.gutter, base);
  let y = base, column = -1;
  for (let i = 0; i < counter.times.length; ++i) {
    const x = Math.min(Math.max(xOf(counter.times[i]), view.gutter), view.width);
    if (Math.floor(x) !== column) {
      context.lineTo(x, y);
      column = Math.floor(x);
    }
    y = yOf(counter.values[i]);
    context.lineTo(x, y);
    if (x >= view.width) break;
  }
  context.lineTo(Math.min(view.width, xOf(run.total)), y);
  context.lineTo(Math.min(view.width, xOf(run.total)), base);
  context.closePath();
  context.globalAlpha = 0.28;
  context.fillStyle = paint.bar;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = paint.bar;
  context.lineWidth = 1;
  context.stroke();
}

function drawOverview() {
  const height = 34, context = prepare(overview, height), width = overview.clientWidth;
  const left = view.gutter, bins = Math.max(1, Math.floor(width - left - 10));
  if (!drawOverview.busy || drawOverview.busy.length !== bins) {
    const busy = new Float64Array(bins + 1), perBin = Math.max(1, run.total) / bins;
    const shown = layout.rows.filter((row) => row.tasks.length);
    for (const row of shown) {
      for (const task of row.tasks) {
        const first = Math.floor(run.start[task] / perBin), last = Math.min(bins - 1, Math.floor(run.end[task] / perBin));
        for (let bin = first; bin <= last; ++bin) {
          const inside = Math.min(run.end[task], (bin + 1) * perBin) - Math.max(run.start[task], bin * perBin);
          busy[bin] += inside / perBin / shown.length;
        }
      }
    }
    drawOverview.busy = busy.subarray(0, bins);
  }
  context.fillStyle = paint['bar-back'];
  context.fillRect(left, 4, bins, height - 8);
  context.fillStyle = paint.bar;
  drawOverview.busy.forEach((part, bin) => {
    const tall = Math.min(1, part) * (height - 8);
    context.fillRect(left + bin, height - 4 - tall, 1, tall);
  });
  const total = Math.max(1, run.total);
  const x0 = left + Math.max(0, view.from / total) * bins, x1 = left + Math.min(1, view.to / total) * bins;
  context.strokeStyle = paint.accent;
  context.lineWidth = 1.5;
  context.strokeRect(x0 + 0.75, 2.75, Math.max(3, x1 - x0 - 1.5), height - 5.5);
  context.fillStyle = paint.soft;
  context.textAlign = 'left';
  context.fillText('all lanes', 14, height / 2);
}

let isDrawPending = false;
function redraw() {
  if (isDrawPending) return;
  isDrawPending = true;
  requestAnimationFrame(() => {
    isDrawPending = false;
    draw();
  });
}

function draw() {
  const began = performance.now();
  view.width = chart.clientWidth;
  view.gutter = view.width < 600 ? 96 : 150;
  view.scale = (view.width - view.gutter - 10) / (view.to - view.from);
  const context = prepare(chart, layout.height);
  context.fillStyle = paint.stripe;
  for (const row of layout.rows) context.fillRect(view.gutter, row.y, view.width - view.gutter, row.height);
  drawAxis(context);
  let bars = 0;
  for (const row of layout.rows) {
    bars += drawRow(context, row);
    drawWaits(context, row);
  }
  for (const counter of layout.counters) drawCounter(context, counter);
  if (state.path) drawPath(context);
  drawSelection(context);
  drawLabels(context);
  drawOverview();
  chart.dataset.bars = bars;
  chart.dataset.milliseconds = (performance.now() - began).toFixed(1);
}
