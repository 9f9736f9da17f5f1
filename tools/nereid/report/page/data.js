// The report, and the questions that the page asks of it.
'use strict';

const report = JSON.parse(document.getElementById('report').textContent);
const stages = report.stages;
const stageIndex = Object.fromEntries(stages.map((stage, i) => [stage.name, i]));

// children[s][n]: the lines of stage s + 1 that line n of stage s became.
const children = stages.map(stage => Array.from({length: stage.lines.length + 1}, () => []));
stages.forEach((stage, s) => stage.lines.forEach((line, i) => {
  for (const parent of line.from || []) children[s - 1][parent].push(i + 1);
}));

function lineAt(stage, number) { return stages[stage].lines[number - 1]; }

// The line of the operation that a line belongs to.
function operationLine(stage, number) { return lineAt(stage, number).part_of || number; }

// For each stage the lines from which a line was made, and those that it became; its own stage has the line only.
function related(stage, number) {
  const found = stages.map(() => new Set());
  found[stage].add(operationLine(stage, number));
  for (let s = stage; s > 0; --s)
    for (const n of found[s])
      for (const parent of lineAt(s, n).from || []) found[s - 1].add(parent);
  for (let s = stage; s + 1 < stages.length; ++s)
    for (const n of found[s])
      for (const child of children[s][n]) found[s + 1].add(child);
  return found;
}

function total(pair) { return Array.isArray(pair) ? pair[0] + pair[1] : pair || 0; }

// What bars can show. `of`: the number of a line's cost.
const metrics = [
  {name: 'warp instructions', of: cost => cost.warp_instructions || 0},
  {name: 'global sectors', of: cost => total(cost.global_sectors)},
  {name: 'global bytes', of: cost => total(cost.global_bytes)},
  {name: 'shared wavefronts', of: cost => total(cost.shared_wavefronts)},
  {name: 'bank conflicts', of: cost => cost.bank_conflicts || 0},
  {name: 'barriers', of: cost => cost.barriers || 0},
  {name: 'matrix instructions', of: cost => cost.mma || 0},
  {name: 'local bytes (spills)', of: cost => total(cost.local_bytes)},
];

// Messages and remarks by stage and line.
const notes = stages.map(() => new Map());
function addNote(stageName, number, note) {
  const map = notes[stageIndex[stageName]];
  if (map && number) map.set(number, (map.get(number) || []).concat(note));
}
for (const message of report.messages)
  for (const number of message.lines || []) addNote(message.stage, number, message);
for (const remark of report.remarks) addNote(remark.stage, remark.line, {...remark, severity: 'remark'});

function escapeText(text) {
  return String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
function format(number) { return number.toLocaleString('en-US'); }
function ratio(a, b) { return b ? (a / b).toFixed(a % b ? 2 : 0) : ''; }
function placeName(stage, number) {
  const line = lineAt(stage, number);
  return line.line ? `${report.files[line.file]}:${line.line}` : `${stages[stage].name}:${number}`;
}
function link(stage, number) { return `<a data-to="${stages[stage].name}:${number}">${escapeText(placeName(stage, number))}</a>`; }
