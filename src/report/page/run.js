'use strict';
// The recorded run, in arrays with one entry a task. Times are nanoseconds from the run's begin.

const data = JSON.parse(document.getElementById('data').textContent);

const run = (() => {
  const count = data.start.length;
  const start = new Float64Array(count), end = new Float64Array(count);
  let time = 0;
  for (let i = 0; i < count; ++i) {
    time += data.start[i];
    start[i] = time;
    end[i] = time + data.duration[i];
  }
  // Edges lie one after the other: those of task i are from edgeBegin[i] to edgeBegin[i + 1].
  const edgeBegin = new Uint32Array(count + 1);
  for (let i = 0; i < count; ++i) edgeBegin[i + 1] = edgeBegin[i] + data.edges[i];
  const edgeFrom = new Uint32Array(edgeBegin[count]);
  for (let i = 0; i < count; ++i) {
    for (let k = edgeBegin[i]; k < edgeBegin[i + 1]; ++k) edgeFrom[k] = i - data.from[k];
  }
  return { count, start, end, edgeBegin, edgeFrom, total: data.total };
})();

// What comes after a task, made when first asked for.
const successors = (() => {
  let begin = null, list = null;
  return (task) => {
    if (!begin) {
      begin = new Uint32Array(run.count + 2);
      for (const from of run.edgeFrom) ++begin[from + 2];
      for (let i = 2; i < begin.length; ++i) begin[i] += begin[i - 1];
      list = new Uint32Array(run.edgeFrom.length);
      for (let i = 0; i < run.count; ++i) {
        for (let k = run.edgeBegin[i]; k < run.edgeBegin[i + 1]; ++k) list[begin[run.edgeFrom[k] + 1]++] = i;
      }
    }
    return list.subarray(begin[task], begin[task + 1]);
  };
})();

const hazards = ['raw', 'war', 'waw', 'reuse'];
const hazardWords = { raw: 'reads what it made', war: 'overwrites what it read', waw: 'overwrites what it wrote',
                      reuse: 'uses memory that it gave back' };
const roleWords = ['compute', 'copy to the CPU', 'copy from the CPU', 'copy to a peer'];
const isCopy = (task) => data.role[task] > 0;
const nameOf = (task) => data.strings[data.name[task]];
const lineOf = (task) => data.strings[data.line[task]];
const shapesOf = (task) => data.strings[data.shapes[task]];
const isEstimated = new Set(data.estimated);
const trackOf = (task) => data.tracks[data.track[task]];

function durationText(nanoseconds) {
  const size = Math.abs(nanoseconds);
  if (size < 1000) return `${Math.round(nanoseconds)} ns`;
  const [scale, unit] = size < 1e6 ? [1e3, 'µs'] : size < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  const value = nanoseconds / scale, whole = Math.abs(value);
  return `${value.toFixed(whole < 10 ? 2 : whole < 100 ? 1 : 0)} ${unit}`;
}

// A moment, to the nanosecond.
function momentText(nanoseconds) {
  const [scale, unit, digits] = nanoseconds < 1e6 ? [1e3, 'µs', 3] : nanoseconds < 1e9 ? [1e6, 'ms', 6] : [1e9, 's', 9];
  return `${(nanoseconds / scale).toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')} ${unit}`;
}

// A tick of an axis whose ticks are `step` apart: as many digits as tell them apart.
function tickText(time, step) {
  if (Math.abs(time) < step / 2) return '0';
  const largest = Math.max(Math.abs(time), step);
  const [scale, unit] = largest < 1e3 ? [1, 'ns'] : largest < 1e6 ? [1e3, 'µs'] : largest < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
  const finer = (step / scale) * 10 ** digits;
  return `${(time / scale).toFixed(Math.abs(finer - Math.round(finer)) > 0.01 ? digits + 1 : digits)} ${unit}`;
}

function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit === 0 || bytes >= 100 ? bytes.toFixed(0) : bytes.toFixed(1)} ${units[unit]}`;
}

const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : '–');

// An element with its properties and children; text is never taken as HTML.
function element(tag, properties = {}, ...children) {
  const result = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'style') result.style.cssText = value;
    else if (key in result) result[key] = value;
    else result.setAttribute(key, value);
  }
  result.append(...children);
  return result;
}

// A colour for each name: names that take most time get the first ones; copies are warm, computing is not.
const colours = (() => {
  const computing = ['#4a7af0', '#23a094', '#8a67e8', '#3d9f57', '#c657a5', '#2d9bc9', '#6d7a90', '#9a8330'];
  const copying = ['#e8940f', '#e0683a', '#c9a227'];
  const busy = new Map();
  for (let i = 0; i < run.count; ++i) {
    const key = data.name[i] * 2 + (isCopy(i) ? 1 : 0);
    busy.set(key, (busy.get(key) || 0) + run.end[i] - run.start[i] + 1);
  }
  const order = [...busy.keys()].sort((a, b) => busy.get(b) - busy.get(a));
  const result = new Map();
  const used = [0, 0];
  for (const key of order) {
    const palette = key % 2 ? copying : computing;
    result.set(key, palette[used[key % 2]++ % palette.length]);
  }
  return { order, of: result };
})();
const failedColour = '#d92d20';
const colourOf = (task) =>
  data.failed[task] ? failedColour : colours.of.get(data.name[task] * 2 + (isCopy(task) ? 1 : 0));
const causeColours = { dependency: '#4a7af0', 'busy lane': '#3d9f57', 'launch-bound': '#d97a1f', 'host read': '#c657a5',
                       wait_all: '#6d7a90', 'back-pressure': '#b7791f', memory: '#b54708' };
