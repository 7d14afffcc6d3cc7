'use strict';
// The figures and tables around the timeline.

const into = (id) => document.getElementById(id);

const barCell = (part, whole, colour) => {
  const inner = element('div', { style: `width:${whole > 0 ? Math.min(100, (100 * part) / whole) : 0}%` });
  if (colour) inner.style.background = colour;
  return element('td', { className: 'bar' }, element('div', { className: 'track' }, inner));
};
const cell = (text, className = '') => element('td', { className }, text);

function table(id, heads, rows) {
  const head = element('tr', {}, ...heads.map(([text, className]) => element('th', { className: className || '', scope: 'col' }, text)));
  into(id).replaceChildren(element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)));
}

// A row that does something, by mouse and by key.
function activeRow(title, action, ...cells) {
  return element('tr', {
    className: 'go', tabIndex: 0, title, onclick: action,
    onkeydown: (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        action();
      }
    },
  }, ...cells);
}

function showFigures() {
  const figure = (value, words) => element('div', { className: 'figure' }, element('b', {}, value), element('span', {}, words));
  const bound = data.bound;
  const figures = [figure(durationText(bound.total), 'total'),
    figure(durationText(bound.bound), bound.isLane ? `bound: the work of ${bound.lane}` : 'bound: the longest chain'),
    figure(bound.bound > 0 ? `${(bound.total / bound.bound).toFixed(3)} ×` : '–', 'total to the bound; 1 is best'),
    figure(String(run.count), `tasks on ${data.lanes.length} tracks`)];
  if (data.overlap.copies > 0) {
    const smaller = Math.min(data.overlap.compute, data.overlap.copies);
    figures.splice(3, 0, figure(percent(data.overlap.both, smaller), 'of the smaller of computing and copying is hidden'));
  }
  into('figures').replaceChildren(...figures);
}

function showWaits() {
  if (!data.largest.length) {
    into('waits').replaceChildren(element('p', { className: 'hint' }, 'Nothing waited for a microsecond or longer.'));
    return;
  }
  table('waits', [['longest', 'number'], ['times', 'number'], ['cause'], ['who'], ['what would help']], data.largest.map((wait) => {
    const tag = element('span', { className: 'tag', style: `background:${causeColours[wait.cause]}` }, wait.cause);
    const who = element('td', {}, `${wait.name} `, element('span', { className: 'advice' }, wait.line));
    const target = wait.task >= 0 ? wait.task : wait.on;
    return activeRow(target >= 0 ? 'Show the task' : '', () => target >= 0 && showTask(target), cell(durationText(wait.longest), 'number'),
      cell(`${wait.count} ×`, 'number'), element('td', {}, tag), who, cell(wait.advice, 'advice'));
  }));
}

function showTask(task) {
  keep(task, true);
  chart.focus({ preventScroll: true });
  chart.scrollIntoView({ block: 'nearest' });
}

function showLanes() {
  table('lanes', [['lane'], [''], ['busy', 'number'], ['', 'number'], ['tasks', 'number']], data.lanes.map((lane) =>
    element('tr', {}, cell(data.tracks[lane.track]), barCell(lane.busy, run.total), cell(percent(lane.busy, run.total), 'number'),
      cell(durationText(lane.busy), 'number'), cell(String(lane.tasks), 'number'))));
}

function showPath() {
  const rows = data.pathParts.filter((part) => part.time > 0).map((part) =>
    element('tr', {}, cell(part.name), barCell(part.time, run.total, causeColours[part.cause] || 'var(--path)'),
      cell(percent(part.time, run.total), 'number'), cell(durationText(part.time), 'number')));
  table('path', [['part'], [''], ['of total', 'number'], ['', 'number']], rows);
}

function showOverlap() {
  if (!(data.overlap.copies > 0)) {
    into('overlap-card').hidden = true;
    return;
  }
  const row = (name, part) => element('tr', {}, cell(name), barCell(part, run.total), cell(percent(part, run.total), 'number'),
    cell(durationText(part), 'number'));
  const { compute, copies, both } = data.overlap;
  const ratio = run.total / Math.max(compute, copies);
  table('overlap', [[''], [''], ['of total', 'number'], ['', 'number']], [row('computing', compute), row('copying', copies), row('both at once', both)]);
  into('overlap').append(element('p', { className: 'hint', style: 'margin:10px 0 0' },
    `Total to the larger part: ${ratio.toFixed(3)}. At 1 the smaller part costs nothing.`));
}

function showLines() {
  const all = data.lines.reduce((sum, line) => sum + line.busy, 0);
  const rows = data.lines.slice(0, 40).map((line) => {
    const who = element('td', {}, line.line || 'no line', element('br'), element('span', { className: 'advice' }, line.name));
    return activeRow('Show only the tasks of this line', () => {
      state.line = state.line === line.index ? null : line.index;
      redraw();
    }, who, barCell(line.busy, all), cell(percent(line.busy, all), 'number'), cell(durationText(line.busy), 'number'),
      cell(`${line.tasks} tasks`, 'number'));
  });
  table('lines', [['line'], [''], ['busy', 'number'], ['', 'number'], ['', 'number']], rows);
}

function showLegend() {
  const most = 12;
  into('legend').replaceChildren(...colours.order.slice(0, most).map((key) => element('span', {},
    element('i', { className: key % 2 ? 'copy' : '', style: `background-color:${colours.of.get(key)}` }), data.strings[key >> 1])),
    ...(data.path.length ? [element('span', {}, element('i', { style: 'background:var(--path);height:4px;vertical-align:3px' }), 'critical path')] : []));
}

function start() {
  document.title = `${data.command || 'A recorded run'} – timeline`;
  into('title').textContent = data.command || 'A recorded run';
  into('facts').textContent = data.facts;
  if (data.warning) {
    into('warning').textContent = data.warning;
    into('warning').hidden = false;
  }
  fitView();
  showFigures();
  showWaits();
  showLanes();
  showPath();
  showOverlap();
  showLines();
  showLegend();
  showDetails();
  setTheme(prefersDark.matches ? 'dark' : 'light');
  new ResizeObserver(redraw).observe(chart);
}
start();
