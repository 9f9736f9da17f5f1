// The columns: a list of lines per stage, marks, and the selected line.

const rowHeight = 18, chunkRows = 100;
const columns = [];            // by stage: {element, list, overview, rows}
let selected = null;           // {stage, number} that was clicked or reached by keys; null: marks follow the pointer
let marked = [];               // by stage: set of lines
let markedRows = [];           // their elements
let metric = metrics[0];

function rowHtml(stage, line, number) {
  const own = notes[stage].get(number) || [];
  const worst = own.find(note => note.severity === 'error' || note.severity === 'warning');
  const sign = worst ? '<span class="bad">!</span>' : own.length ? '◆' : line.layouts ? '▦' : '';
  let text = escapeText(line.text.replace(/^ +/, spaces => ' '.repeat(spaces.length / 2)).replace(/ loc\(#loc\d*\)/g, ''));
  const op = line.op && escapeText(line.op), at = op ? text.indexOf(op) : -1;
  if (at >= 0) text = `${text.slice(0, at)}<b>${op}</b>${text.slice(at + op.length)}`;
  if (line.line && !line.text) text = `<span class="file">${escapeText(report.files[line.file].replace(/.*\//, ''))}</span>`;
  return `<div class="row" data-n="${number}"><span class="number">${line.line || number}</span>` +
         `<span class="cost"></span><span class="signs">${sign}</span><span>${text}</span></div>`;
}

function columnHtml(stage) {
  const parts = [], lines = stages[stage].lines;
  for (let start = 0; start < lines.length; start += chunkRows) {
    const rows = lines.slice(start, start + chunkRows);
    parts.push(`<div class="chunk" style="contain-intrinsic-size:auto ${rows.length * rowHeight}px">` +
               rows.map((line, i) => rowHtml(stage, line, start + i + 1)).join('') + '</div>');
  }
  return parts.join('');
}

function createColumn(stage) {
  const element = document.createElement('section'), {name, lines} = stages[stage];
  element.className = lines.some(line => line.text) ? 'column' : 'column bare';
  element.innerHTML = `<h2>${name}<span>${format(lines.length)} lines</span></h2>` +
                      `<div class="lines" tabindex="0" aria-label="${name}">${columnHtml(stage)}</div><canvas class="overview"></canvas>`;
  const list = element.querySelector('.lines'), overview = element.querySelector('canvas');
  list.addEventListener('mouseover', event => { if (!selected) showPointed(stage, event.target); });
  list.addEventListener('mouseleave', () => { if (!selected) mark(null); });
  list.addEventListener('click', event => {
    const row = event.target.closest('.row');
    if (row && !String(getSelection())) select(stage, Number(row.dataset.n));
  });
  overview.addEventListener('click', event => {
    list.scrollTop = event.offsetY / overview.clientHeight * list.scrollHeight - list.clientHeight / 2;
  });
  return {element, list, overview, rows: [...list.querySelectorAll('.row')]};
}

function rowOf(stage, number) { return columns[stage].rows[number - 1]; }

function isShown(stage) { return columns[stage] && !columns[stage].element.hidden; }

// --- bars ---

// Sets the bars of all columns, relative to the largest line of the column that is not a whole function or module.
function drawBars() {
  for (const [stage, {lines}] of stages.entries()) {
    const numbers = lines.map(line => line.cost ? metric.of(line.cost) : 0), largest = Math.max(...numbers, 1);
    lines.forEach((line, i) => {
      const cell = rowOf(stage, i + 1).children[1], number = numbers[i];
      if (number || cell.firstChild)
        cell.innerHTML = number ? `<i style="width:${Math.max(2, number / largest * 34)}px" title="${format(number)} ${metric.name}"></i>` : '';
    });
  }
}

// --- marks ---

function mark(at) {
  for (const row of markedRows) row.classList.remove('mark', 'line', 'loose');
  markedRows = [];
  marked = at ? related(at.stage, at.number) : [];
  marked.forEach((numbers, stage) => {
    for (const number of numbers) {
      const row = rowOf(stage, number), line = lineAt(stage, number);
      row.classList.add('mark');
      if (line.link) row.classList.add('loose');
      markedRows.push(row);
    }
  });
  if (at) {
    const row = rowOf(at.stage, at.number);
    row.classList.add('line');
    markedRows.push(row);
  }
  document.body.dataset.marked = marked.map((numbers, stage) => stages[stage].name + ':' + [...numbers].sort((a, b) => a - b)).join(' ');
  drawOverviews();
}

function drawOverviews() {
  const style = getComputedStyle(document.documentElement), edge = style.getPropertyValue('--mark-edge'), bad = style.getPropertyValue('--bad');
  for (const [stage, {overview, element}] of columns.entries()) {
    if (element.hidden) continue;
    const height = overview.clientHeight, context = overview.getContext('2d'), count = stages[stage].lines.length;
    overview.width = 9;
    overview.height = height;
    for (const [number, list] of notes[stage])
      if (list.some(note => note.severity !== 'remark')) {
        context.fillStyle = bad;
        context.fillRect(6, (number - 1) / count * height, 3, 2);
      }
    context.fillStyle = edge;
    for (const number of marked[stage] || []) context.fillRect(1, (number - 1) / count * height, 5, Math.max(2, height / count));
  }
}

function showPointed(stage, target) {
  const row = target.closest('.row');
  if (row) mark({stage, number: Number(row.dataset.n)});
}

// --- selection ---

function reveal(stage, number) {
  const list = columns[stage].list, top = (number - 1) * rowHeight;
  if (top < list.scrollTop + rowHeight || top > list.scrollTop + list.clientHeight - 3 * rowHeight)
    list.scrollTop = top - Math.round(list.clientHeight / 3 / rowHeight) * rowHeight; // whole rows
}

// The marked line of a stage to scroll to: the one with the largest bar, else the first.
function mainLine(stage, numbers) {
  const value = number => { const {cost} = lineAt(stage, number); return cost ? metric.of(cost) : 0; };
  return [...numbers].sort((a, b) => value(b) - value(a) || a - b)[0];
}

function select(stage, number) {
  selected = {stage, number};
  if (!isShown(stage)) showStage(stage, true);
  mark(selected);
  marked.forEach((numbers, s) => { if (numbers.size && isShown(s)) reveal(s, s === stage ? number : mainLine(s, numbers)); });
  columns[stage].list.focus({preventScroll: true});
  const counts = marked.map((numbers, s) => numbers.size ? `${numbers.size} of ${stages[s].name}` : '').filter(Boolean);
  document.getElementById('status').textContent = `${placeName(stage, number)}; marked lines: ${counts.join(', ')}`;
  history.replaceState(null, '', `#line=${stages[stage].name}:${number}`);
  showTab(currentTab === 'line' || !currentTab ? 'line' : currentTab);
}

function unselect() {
  selected = null;
  mark(null);
  history.replaceState(null, '', '#');
  if (currentTab === 'line') showTab('line');
}

// --- stages that are shown ---

function isNarrow() { return matchMedia('(max-width: 760px)').matches; }

function showStage(stage, show) {
  if (isNarrow() && show) columns.forEach((column, s) => { column.element.hidden = s !== stage; });
  else columns[stage].element.hidden = !show && columns.filter(column => !column.element.hidden).length > 1;
  updateStageButtons();
}

function updateStageButtons() {
  document.querySelectorAll('#stages button').forEach((button, stage) => button.setAttribute('aria-pressed', isShown(stage)));
  drawOverviews();
}

// The stages that fit, of those that matter most.
function chooseStages() {
  const order = ['ptx', 'source', 'ttgir', 'ttir', 'sass', 'input', 'll', 'llvm'].filter(name => name in stageIndex);
  const fits = isNarrow() ? 1 : Math.max(2, Math.floor(innerWidth / 330));
  const chosen = new Set(isNarrow() ? [order.includes('source') ? 'source' : order[0]] : order.slice(0, fits));
  columns.forEach((column, stage) => { column.element.hidden = !chosen.has(stages[stage].name); });
  updateStageButtons();
}
