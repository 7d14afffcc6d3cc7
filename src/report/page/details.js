'use strict';
// What is said of the task under the mouse, and of the one that was clicked.

const tip = document.getElementById('tip');
const details = document.getElementById('details');

// For what a task waited, in words, from its submission to its start.
function waitingWords(task) {
  const words = [];
  const [dependency, lane, launch] = data.waited.slice(3 * task, 3 * task + 3);
  const on = data.waitedOn[task];
  if (dependency > 0 && on > 0) words.push(`${durationText(dependency)} for ${nameOf(task - on)} (${lineOf(task - on) || 'no line'})`);
  if (lane > 0) words.push(`${durationText(lane)} for its lane, which was busy`);
  if (launch > 0) words.push(`${durationText(launch)} to be launched`);
  return words.length ? words.join(', then ') : 'nothing';
}

function factsOf(task) {
  const list = element('dl', { className: 'facts' });
  const add = (name, value) => {
    if (value) list.append(element('dt', {}, name), element('dd', {}, value));
  };
  add('line', lineOf(task));
  add('shapes', shapesOf(task));
  add('where', `${trackOf(task)}, ${roleWords[data.role[task]]}`);
  add('took', durationText(run.end[task] - run.start[task]) + (isEstimated.has(task) ? ', estimated' : ''));
  add('from', `${momentText(run.start[task])} to ${momentText(run.end[task])}`);
  add('waited', waitingWords(task));
  add('section', data.strings[data.section[task]]);
  if (data.bytes[task] > 0) {
    const rate = data.bytes[task] / Math.max(1, run.end[task] - run.start[task]);
    add('bytes', `${bytesText(data.bytes[task])}, ${rate.toFixed(rate < 10 ? 2 : 1)} GB/s`);
  }
  if (isOnPath.has(task)) add('', 'on the critical path');
  if (data.failed[task]) add('failed', data.failed[task]);
  return list;
}

const titleOf = (task) => `${nameOf(task)} · task ${data.id[task]}`;

function showTip(title, body, x, y) {
  tip.replaceChildren(element('h3', {}, title), body);
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), margin = 12;
  tip.style.left = `${Math.max(margin, Math.min(x + 16, innerWidth - box.width - margin))}px`;
  tip.style.top = `${y + 20 + box.height > innerHeight ? Math.max(margin, y - box.height - 14) : y + 20}px`;
}

function hideTip() {
  tip.hidden = true;
}

function tipForWait(wait) {
  const list = element('dl', { className: 'facts' });
  const add = (name, value) => value && list.append(element('dt', {}, name), element('dd', {}, value));
  add('cause', wait.cause);
  add('line', wait.line);
  add('took', durationText(wait.duration));
  if (wait.task >= 0) add('for', titleOf(wait.task));
  return list;
}

function neighbours(title, entries) {
  const most = 12;
  const list = element('ul', { className: 'after' }, element('li', {}, element('em', {}, title)));
  for (const [task, words] of entries.slice(0, most)) {
    const button = element('button', { onclick: () => keep(task, true) }, `${nameOf(task)} `, element('em', {}, words));
    list.append(element('li', {}, button));
  }
  if (entries.length > most) list.append(element('li', {}, element('em', {}, `and ${entries.length - most} more`)));
  return list;
}

function showDetails() {
  const task = state.kept;
  if (task === null) {
    details.replaceChildren(element('h3', {}, 'Nothing selected'),
      element('p', { className: 'empty' }, 'Point at a task to see what it is and what it waited for; click to keep it here.'));
    return;
  }
  const before = [];
  for (let k = run.edgeBegin[task]; k < run.edgeBegin[task + 1]; ++k) {
    const hazard = hazards[data.hazards[k]];
    before.push([run.edgeFrom[k], `${hazardWords[hazard]}, ended ${durationText(run.end[run.edgeFrom[k]])}`]);
  }
  before.sort((a, b) => run.end[b[0]] - run.end[a[0]]);
  const after = [...successors(task)].map((next) => [next, `started ${durationText(run.start[next])}`]);
  details.replaceChildren(element('h3', {}, titleOf(task)), factsOf(task));
  if (before.length) details.append(neighbours('comes after', before));
  if (after.length) details.append(neighbours('is waited for by', after));
}

function keep(task, isMoved) {
  state.kept = task;
  state.hover = null;
  if (task !== null && isMoved) reveal(task);
  showDetails();
  redraw();
}

// Moves the view so that the task is in it and wide enough to be seen.
function reveal(task) {
  const length = Math.max(1, run.end[task] - run.start[task]);
  const span = view.to - view.from, pixels = length * view.scale;
  if (run.start[task] >= view.from && run.end[task] <= view.to && pixels >= 3) return;
  const wanted = pixels < 3 ? length * 60 : Math.max(span, length * 1.3);
  const middle = (run.start[task] + run.end[task]) / 2;
  setView(middle - wanted / 2, middle + wanted / 2);
}
