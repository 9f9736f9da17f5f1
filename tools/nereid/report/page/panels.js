// The panel below the columns: details of a line, the hottest lines, passes, shared memory, the timeline, messages.

let currentTab = null, hotStage = 0;
const content = document.getElementById('content');

function costFacts(cost) {
  const facts = [['warp instructions', format(cost.warp_instructions)],
                 ['lanes per instruction', (cost.thread_instructions / Math.max(1, cost.warp_instructions)).toFixed(1)]];
  const pair = (name, value) => { if (value) facts.push([name, Array.isArray(value) ? `${format(value[0])} / ${format(value[1])}` : format(value)]); };
  pair('global requests, load / store', cost.global_requests);
  if (cost.global_requests) facts.push(['sectors per request', ratio(total(cost.global_sectors), total(cost.global_requests))]);
  pair('global bytes, load / store', cost.global_bytes);
  pair('shared requests, load / store', cost.shared_requests);
  if (cost.shared_requests) facts.push(['wavefronts per request', ratio(total(cost.shared_wavefronts), total(cost.shared_requests))]);
  pair('bank conflicts', cost.bank_conflicts);
  pair('barriers', cost.barriers);
  pair('matrix instructions', cost.mma);
  pair('bulk copies', cost.bulk_copies);
  pair('bulk bytes', cost.bulk_bytes);
  pair('local bytes, load / store', cost.local_bytes);
  return `<div class="facts">${facts.map(([name, value]) => `<div><span>${name}</span><b>${value}</b></div>`).join('')}</div>`;
}

function noteHtml(note, places = '') {
  const head = note.severity === 'remark' ? `<b>${escapeText(note.name || note.kind)}</b> <span class="quiet">${escapeText(note.pass || '')}, ${note.kind}</span><br>` : `<b>${note.severity}</b>: `;
  return `<div class="message ${note.severity}">${head}${escapeText(note.text)}${places && ` <span class="quiet">${places}</span>`}</div>`;
}

const linkNames = {use: 'through a user or an operand, as it has no location', near: 'as the instruction before it, as it has no location', function: 'as code of the function'};

function linksHtml(stage) {
  const rows = marked.map((numbers, s) => {
    if (s === stage || !numbers.size) return '';
    const sorted = [...numbers].sort((a, b) => a - b), shown = sorted.slice(0, 12).map(n => link(s, n)).join(', ');
    return `<tr><td class="quiet">${s < stage ? 'from' : 'became'} ${stages[s].name}</td><td>${shown}${sorted.length > 12 ? `, ${sorted.length - 12} more` : ''}</td></tr>`;
  });
  return `<table><tbody>${rows.join('')}</tbody></table>`;
}

// Messages and remarks of the line, then those of the lines that it was made from or became.
function notesOf(stage, number) {
  const own = notes[stage].get(number) || [], seen = new Set(own.map(note => note.text)), others = [];
  marked.forEach((numbers, s) => {
    for (const n of numbers)
      for (const note of notes[s].get(n) || [])
        if (!seen.has(note.text)) {
          seen.add(note.text);
          others.push(note);
        }
  });
  return own.concat(others.slice(0, 20));
}

function showLine() {
  if (!selected) {
    content.innerHTML = '<p class="quiet">Point at a line to see what it came from and what it became; click it, or use the arrow keys, to keep it.</p>';
    return;
  }
  const {stage, number} = selected, line = lineAt(stage, number), operation = lineAt(stage, operationLine(stage, number));
  const parts = [`<h3>${escapeText(placeName(stage, number))}${line.op ? ` <span class="code">${escapeText(line.op)}</span>` : ''}</h3>`];
  if (line.text) parts.push(`<p class="code text">${escapeText(line.text.trim())}</p>`);
  if (operation.link) parts.push(`<p class="quiet">linked ${linkNames[operation.link]}</p>`);
  if (operation.why) parts.push(`<p class="quiet">no origin: ${escapeText(operation.why)}</p>`);
  if (operation.cost) parts.push(costFacts(operation.cost));
  else if (report.counters && stages[stage].name !== 'sass') parts.push('<p class="quiet">no instruction is counted for this line</p>');
  parts.push(linksHtml(stage), ...notesOf(stage, number).map(note => noteHtml(note)));
  content.innerHTML = `<div class="sides"><div>${parts.join('')}</div><div id="pictures"></div></div>`;
  for (const index of operation.layouts || []) drawLayout(document.getElementById('pictures'), report.layouts[index]);
}

// --- the hottest lines ---

function hotLines(stage) {
  const lines = stages[stage].lines.map((line, i) => ({line, number: i + 1, value: line.cost ? metric.of(line.cost) : 0}));
  return lines.filter(entry => entry.value).sort((a, b) => b.value - a.value || a.number - b.number).slice(0, 40);
}

// Columns of the table after the share of a line: text of a cell, by cost; those without any text are left out.
const hotColumns = [
  {title: 'instructions', of: cost => format(cost.warp_instructions)},
  {title: 'sectors / request', of: cost => ratio(total(cost.global_sectors), total(cost.global_requests))},
  {title: 'wavefronts / request', of: cost => ratio(total(cost.shared_wavefronts), total(cost.shared_requests))},
  {title: 'conflicts', of: cost => cost.bank_conflicts ? format(cost.bank_conflicts) : ''},
  {title: 'barriers', of: cost => cost.barriers ? format(cost.barriers) : ''},
  {title: 'mma', of: cost => cost.mma ? format(cost.mma) : ''},
];

function hotTable(all) {
  const lines = hotLines(hotStage), shown = hotColumns.filter(column => lines.some(({line}) => column.of(line.cost)));
  const hasText = lines.some(({line}) => line.text);
  const rows = lines.map(({line, number, value}) => {
    const share = `${(value / all * 100).toFixed(1)}`;
    return `<tr data-to="${stages[hotStage].name}:${number}"><td>${escapeText(placeName(hotStage, number))}</td>` +
           `<td><span class="share"><i style="width:${share}%"></i></span></td><td class="amount">${share} %</td>` +
           shown.map(column => `<td class="amount">${column.of(line.cost)}</td>`).join('') +
           (hasText ? `<td class="code">${escapeText(line.text.trim())}</td></tr>` : '</tr>');
  });
  const titles = shown.map(column => `<th class="amount">${column.title}`).join('');
  return `<table><thead><tr><th>line<th><th class="amount">share${titles}${hasText ? '<th>text' : ''}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function showHottest() {
  if (!report.counters) {
    content.innerHTML = '<p class="quiet">The report has no counters: it was written without arguments (--arg).</p>';
    return;
  }
  const all = stages[hotStage].lines.reduce((sum, line) => sum + (line.cost ? metric.of(line.cost) : 0), 0);
  const options = stages.map((stage, i) => stage.name === 'sass' ? '' : `<option value="${i}"${i === hotStage ? ' selected' : ''}>${stage.name}</option>`).join('');
  content.innerHTML = `<p>lines of <select id="hot-stage">${options}</select> by ${metric.name}, ${format(all)} in all</p>${hotTable(all)}`;
  document.getElementById('hot-stage').addEventListener('change', event => {
    hotStage = Number(event.target.value);
    showHottest();
  });
}

// --- passes ---

function changeHtml(change) {
  const lines = [];
  const add = (kind, sign, text) => lines.push(`<div class="change ${kind}">${sign} ${escapeText(text)}</div>`);
  if (change.change === 'moved') add('', '>', change.after);
  if (change.change === 'removed' || change.change === 'edited') add('removed', '-', change.before);
  if (change.change === 'added' || change.change === 'edited') add('added', '+', change.after);
  return lines.join('');
}

function passHtml(pass) {
  const counts = ['added', 'removed', 'moved', 'edited'].filter(name => pass[name]).map(name => `${pass[name]} ${name}`);
  if (!counts.length) return '';
  const between = (name, pair) => pair[0] !== pair[1] ? `, ${name} ${pair[0]} → ${pair[1]}` : '';
  const text = `${counts.join(', ')}${between('operations', pass.operations)}${between('conversions', pass.conversions)}${between('barriers', pass.barriers)}; ${pass.milliseconds.toFixed(2)} ms`;
  const body = pass.listed ? '' : '<p class="quiet">too many changes to list: select a line to see what it became</p>';
  return `<details data-pass="${report.passes.indexOf(pass)}"><summary><b>${escapeText(pass.pass.replace(/{.*/, ''))}</b><span>${pass.stage}</span><span>${text}</span></summary>${body}</details>`;
}

// The changes of a pass are created when it is opened.
function fillPass(details) {
  const pass = report.passes[details.dataset.pass];
  if (details.open && !details.querySelector('.change')) details.insertAdjacentHTML('beforeend', pass.changes.map(changeHtml).join(''));
}

function showPasses() {
  const unchanged = report.passes.filter(pass => !(pass.added + pass.removed + pass.moved + pass.edited)).length;
  content.innerHTML = report.passes.length ? `<p class="quiet">${report.passes.length} passes, ${unchanged} of them without a change</p>${report.passes.map(passHtml).join('')}`
                                           : '<p class="quiet">The report has no passes: the input is not MLIR, or does not compile.</p>';
  content.querySelectorAll('details').forEach(details => details.addEventListener('toggle', () => fillPass(details)));
}

// --- messages ---

function noteRows(list) {
  return list.map(note => {
    const places = (note.lines || (note.line ? [note.line] : [])).map(number => link(stageIndex[note.stage], number)).join(', ');
    return noteHtml({severity: 'remark', ...note}, places);
  }).join('');
}

function showMessages() {
  const order = ['error', 'warning', 'note'], sorted = [...report.messages].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  content.innerHTML = noteRows(sorted) || '<p class="quiet">No messages.</p>';
}

function showRemarks() { content.innerHTML = noteRows(report.remarks) || '<p class="quiet">No remarks.</p>'; }

// --- tabs ---

const tabs = {
  line: {title: () => 'Line', show: showLine},
  hottest: {title: () => 'Hottest lines', show: showHottest},
  passes: {title: () => 'Passes', show: showPasses},
  memory: {title: () => 'Shared memory', show: () => showMemory(content)},
  timeline: {title: () => 'Timeline', show: () => showTimeline(content)},
  remarks: {title: () => `Remarks (${report.remarks.length})`, show: showRemarks},
  messages: {title: () => `Messages (${report.messages.length})`, show: showMessages},
};

function showTab(name) {
  const scroll = currentTab === name && name !== 'line' ? content.scrollTop : 0;
  if (currentTab !== name || name === 'line' || name === 'hottest') {
    currentTab = name;
    tabs[name].show();
  }
  content.scrollTop = scroll;
  document.querySelectorAll('#tabs button').forEach(button => button.setAttribute('aria-selected', button.dataset.tab === name));
}
