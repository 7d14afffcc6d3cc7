'use strict';
// Mouse, touch and keys.

const shortest = 20;  // nanoseconds across the whole chart

function setView(from, to) {
  const most = Math.max(1, run.total) * 1.5;
  const span = Math.min(most, Math.max(shortest, to - from));
  const middle = Math.min(Math.max((from + to) / 2, 0), run.total);
  view.from = middle - span / 2;
  view.to = middle + span / 2;
  redraw();
}

function zoom(factor, x = (view.gutter + view.width) / 2) {
  const time = timeAt(x);
  const span = Math.min(Math.max(1, run.total) * 1.5, Math.max(shortest, (view.to - view.from) * factor));
  const part = (time - view.from) / (view.to - view.from);
  view.from = time - span * part;
  view.to = view.from + span;
  redraw();
}

const pan = (pixels) => {
  const by = pixels / view.scale;
  if ((view.to + by < 0 && by < 0) || (view.from + by > run.total && by > 0)) return;
  view.from += by;
  view.to += by;
  redraw();
};

const place = (event) => {
  const box = chart.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

chart.addEventListener('wheel', (event) => {
  const { x } = place(event);
  if (x < view.gutter) return;
  event.preventDefault();
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX || event.deltaY);
  else zoom(Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), x);
}, { passive: false });

const pointers = new Map();
let moved = 0;
chart.addEventListener('pointerdown', (event) => {
  pointers.set(event.pointerId, place(event));
  chart.setPointerCapture(event.pointerId);
  moved = 0;
});
chart.addEventListener('pointermove', (event) => {
  const now = place(event), before = pointers.get(event.pointerId);
  if (!before) {
    hover(now, event);
    return;
  }
  pointers.set(event.pointerId, now);
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const distance = (a) => Math.max(10, Math.abs(a.x - other.x));
    zoom(distance(before) / distance(now), (now.x + other.x) / 2);
  } else {
    moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (moved > 4) {
      chart.classList.add('dragging');
      hideTip();
      pan(before.x - now.x);
    }
  }
});
const release = (event) => {
  if (!pointers.delete(event.pointerId)) return;
  chart.classList.remove('dragging');
  if (event.type === 'pointerup' && moved <= 4) {
    const { x, y } = place(event);
    keep(taskAt(x, y), false);
  }
};
chart.addEventListener('pointerup', release);
chart.addEventListener('pointercancel', release);
chart.addEventListener('pointerleave', () => {
  hideTip();
  if (state.hover !== null) {
    state.hover = null;
    redraw();
  }
});
chart.addEventListener('dblclick', (event) => {
  const task = taskAt(place(event).x, place(event).y);
  if (task !== null) zoomTo(task);
});

function hover({ x, y }, event) {
  const task = taskAt(x, y), wait = task === null ? waitAt(x, y) : null;
  if (task !== null && task === state.kept) hideTip();
  else if (task !== null) showTip(titleOf(task), factsOf(task), event.clientX, event.clientY);
  else if (wait) showTip(wait.name, tipForWait(wait), event.clientX, event.clientY);
  else hideTip();
  if (task !== state.hover) {
    state.hover = task;
    redraw();
  }
}

const dragOverview = (event) => {
  if (!event.buttons) return;
  const box = overview.getBoundingClientRect();
  const part = (event.clientX - box.left - view.gutter) / Math.max(1, box.width - view.gutter - 10);
  const middle = Math.min(1, Math.max(0, part)) * run.total, span = view.to - view.from;
  setView(middle - span / 2, middle + span / 2);
};
overview.addEventListener('pointerdown', (event) => {
  overview.setPointerCapture(event.pointerId);
  dragOverview(event);
});
overview.addEventListener('pointermove', dragOverview);

function zoomTo(task) {
  const length = Math.max(1, run.end[task] - run.start[task]);
  setView(run.start[task] - length, run.end[task] + length);
}

// Tab goes through the tasks in the order of their starts, and out of the chart behind the last.
const placeInOrder = (() => {
  const places = new Uint32Array(run.count);
  layout.byStart.forEach((task, index) => {
    places[task] = index;
  });
  return (task) => places[task];
})();

function stepTo(offset) {
  const index = state.kept === null ? (offset > 0 ? 0 : run.count - 1) : placeInOrder(state.kept) + offset;
  if (index < 0 || index >= run.count) return false;
  keep(layout.byStart[index], true);
  return true;
}

function stepRow(offset) {
  if (!run.count) return;
  const kept = state.kept === null ? layout.byStart[0] : state.kept;
  for (let row = layout.rowOf[kept] + offset; row >= 0 && row < layout.rows.length; row += offset) {
    const { tasks } = layout.rows[row];
    if (!tasks.length) continue;
    keep(tasks[Math.min(tasks.length - 1, firstFrom(tasks, run.start[kept]))], true);
    return;
  }
  keep(kept, true);
}

chart.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    ArrowLeft: () => pan(-(view.width - view.gutter) / 8),
    ArrowRight: () => pan((view.width - view.gutter) / 8),
    ArrowUp: () => stepRow(-1),
    ArrowDown: () => stepRow(1),
    Enter: () => state.kept !== null && zoomTo(state.kept),
    Escape: () => keep(null, false),
  };
  if (event.key === 'Tab') {
    if (stepTo(event.shiftKey ? -1 : 1)) event.preventDefault();
  } else if (actions[event.key]) {
    actions[event.key]();
    event.preventDefault();
  }
});

const help = document.getElementById('help');
const actionsEverywhere = {
  '+': () => zoom(1 / 1.5),
  '=': () => zoom(1 / 1.5),
  '-': () => zoom(1.5),
  0: () => showAll(),
  c: () => switchPath(),
  d: () => switchTheme(),
  '?': () => help.showModal(),
};
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const action = actionsEverywhere[event.key];
  if (!action) return;
  action();
  event.preventDefault();
});

function showAll() {
  fitView();
  redraw();
}

function switchPath() {
  state.path = !state.path;
  document.getElementById('path-switch').setAttribute('aria-pressed', String(state.path));
  redraw();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  readColours();
  redraw();
}
const switchTheme = () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');

document.getElementById('fit').onclick = showAll;
document.getElementById('path-switch').onclick = switchPath;
document.getElementById('theme').onclick = switchTheme;
document.getElementById('help-button').onclick = () => help.showModal();
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
prefersDark.addEventListener('change', (event) => setTheme(event.matches ? 'dark' : 'light'));
