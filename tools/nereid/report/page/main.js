// The page: header, stage buttons, keys, theme, and the line in the address (#line=source:107).

function showHeader() {
  const {coverage, machine, counters, messages} = report, facts = [];
  document.getElementById('title').textContent = report.kernel || report.input;
  const wrong = messages.filter(message => message.severity === 'error').length;
  if (wrong) facts.push(`<span class="bad">! <b>${wrong}</b> error${wrong > 1 ? 's' : ''}</span>`);
  document.title = `${report.kernel || report.input} – nereid report`;
  facts.push(escapeText(report.input.replace(/.*\//, '')), escapeText(report.target || ''));
  if (coverage.instructions) facts.push(`<b>${format(coverage.linked)}</b> of ${format(coverage.instructions)} instructions linked`);
  if (machine) facts.push(`<b>${machine.registers}</b> registers`, `${machine.spill_stores ? '! ' : ''}<b>${format(machine.spill_stores + machine.spill_loads)}</b> bytes spilled`);
  if (report.memory.bytes) facts.push(`<b>${format(report.memory.bytes)}</b> bytes shared`);
  if (counters) facts.push(`<b>${format(Object.values(counters.warp_instructions).reduce((a, b) => a + b))}</b> warp instructions`);
  document.getElementById('facts').innerHTML = facts.filter(Boolean).map(fact => `<span>${fact}</span>`).join(' · ');
}

function createMetrics() {
  const list = document.getElementById('metric');
  const useful = metrics.filter(entry => stages.some(stage => stage.lines.some(line => line.cost && entry.of(line.cost))));
  list.innerHTML = (useful.length ? useful : metrics.slice(0, 1)).map(entry => `<option>${entry.name}</option>`).join('');
  list.disabled = !useful.length;
  list.addEventListener('change', () => {
    metric = metrics.find(entry => entry.name === list.value);
    drawBars();
    if (currentTab === 'hottest') showHottest();
  });
}

function createStageButtons() {
  const nav = document.getElementById('stages');
  nav.innerHTML = stages.map(stage => `<button type="button">${stage.name}</button>`).join('');
  nav.addEventListener('click', event => {
    const stage = [...nav.children].indexOf(event.target);
    if (stage >= 0) showStage(stage, isNarrow() || !isShown(stage));
  });
}

function createTabs() {
  const nav = document.getElementById('tabs');
  nav.innerHTML = Object.entries(tabs).map(([name, tab]) => `<button type="button" role="tab" data-tab="${name}">${tab.title()}</button>`).join('');
  nav.addEventListener('click', event => { if (event.target.dataset.tab) showTab(event.target.dataset.tab); });
}

// --- theme ---

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  drawOverviews();
  if (currentTab && currentTab !== 'line') tabs[currentTab].show();
}
function otherTheme() { setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'); }

// --- keys ---

function move(count) {
  const {stage, number} = selected || {stage: columns.findIndex((column, s) => isShown(s)), number: 0};
  select(stage, Math.max(1, Math.min(stages[stage].lines.length, number + count)));
}

// To the nearest shown stage before or after that has a marked line.
function cross(step) {
  for (let s = selected ? selected.stage + step : -1; s >= 0 && s < stages.length; s += step)
    if (marked[s].size && (isShown(s) || isNarrow())) {
      select(s, Math.min(...marked[s]));
      return;
    }
}

function nextMarked(step) {
  const numbers = selected ? [...marked[selected.stage]] : [];
  if (numbers.length) select(selected.stage, (step > 0 ? numbers.find(n => n > selected.number) : numbers.reverse().find(n => n < selected.number)) || numbers[0]);
}

function search(text, start) {
  const stage = selected ? selected.stage : columns.findIndex((column, s) => isShown(s)), {lines} = stages[stage];
  for (let i = 0; i < lines.length; ++i) {
    const number = (start + i) % lines.length + 1;
    if (lineAt(stage, number).text.toLowerCase().includes(text.toLowerCase())) return select(stage, number);
  }
}

const keys = {
  ArrowDown: () => move(1), ArrowUp: () => move(-1), ArrowLeft: () => cross(-1), ArrowRight: () => cross(1),
  PageDown: () => move(20), PageUp: () => move(-20), Home: () => move(-1e9), End: () => move(1e9),
  n: () => nextMarked(1), p: () => nextMarked(-1), t: otherTheme, Escape: unselect, Enter: () => { showTab('line'); content.focus(); },
  '/': () => document.getElementById('search').focus(), '?': () => document.getElementById('keys').showModal(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, dialog, canvas')) return;
  const inPanel = event.target.closest('#panel, button'), stage = Number(event.key) - 1;
  if (stage >= 0 && stage < stages.length) showStage(stage, isNarrow() || !isShown(stage));
  else if (keys[event.key] && !(inPanel && /Arrow|Page|Home|End|Enter/.test(event.key))) {
    event.preventDefault();
    keys[event.key]();
  }
}

// --- the divider ---

function resizePanel(height) {
  document.getElementById('panel').style.height = `${Math.max(60, Math.min(innerHeight - 200, height))}px`;
}

function dragDivider(event) {
  const start = event.clientY, height = document.getElementById('panel').clientHeight;
  const moveTo = at => resizePanel(height + start - at.clientY);
  const stop = () => {
    removeEventListener('mousemove', moveTo);
    drawOverviews();
  };
  addEventListener('mousemove', moveTo);
  addEventListener('mouseup', stop, {once: true});
}

function pressDivider(event) {
  const step = {ArrowUp: 40, ArrowDown: -40}[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  resizePanel(document.getElementById('panel').clientHeight + step);
  drawOverviews();
}

// --- start ---

// Pictures are as wide as the panel.
function onResize() {
  drawOverviews();
  if (currentTab === 'memory' || currentTab === 'timeline') tabs[currentTab].show();
}

// Code begins with directives and declarations: its columns show the first instruction.
function skipDeclarations() {
  stages.forEach((stage, s) => {
    const first = stage.lines.findIndex(line => line.cost);
    if (['ll', 'ptx'].includes(stage.name) && first > 0) columns[s].list.scrollTop = (first - 1) * rowHeight;
  });
}

// "#line=ptx:377" selects a line, "#tab=passes" a panel; both may be given, separated by &.
function readAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1)), [name, number] = (wanted.get('line') || '').split(':');
  if (wanted.get('theme')) setTheme(wanted.get('theme'));
  if (wanted.get('tab') in tabs || name) showTab(wanted.get('tab') in tabs ? wanted.get('tab') : 'line');
  if (name in stageIndex && lineAt(stageIndex[name], Number(number))) select(stageIndex[name], Number(number));
}

function start() {
  const main = document.getElementById('columns');
  document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  showHeader();
  createMetrics();
  createStageButtons();
  stages.forEach((stage, s) => columns.push(createColumn(s)));
  main.append(...columns.map(column => column.element));
  chooseStages();
  createTabs();
  drawBars();
  skipDeclarations();
  showTab(report.messages.some(message => message.severity === 'error') ? 'messages' : report.counters ? 'hottest' : 'line');
  document.addEventListener('keydown', onKey);
  document.addEventListener('click', event => {
    const to = event.target.closest('[data-to]');
    if (!to) return;
    const [name, number] = to.dataset.to.split(':');
    select(stageIndex[name], Number(number));
  });
  document.getElementById('theme').addEventListener('click', otherTheme);
  document.getElementById('help').addEventListener('click', () => document.getElementById('keys').showModal());
  document.getElementById('search').addEventListener('keydown', event => {
    if (event.key === 'Enter') search(event.target.value, selected ? selected.number : 0);
    if (event.key === 'Escape') event.target.blur();
  });
  document.getElementById('divider').addEventListener('mousedown', dragDivider);
  document.getElementById('divider').addEventListener('keydown', pressDivider);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', event => setTheme(event.matches ? 'dark' : 'light'));
  matchMedia('(max-width: 760px)').addEventListener('change', chooseStages);
  addEventListener('resize', onResize);
  addEventListener('hashchange', readAddress);
  readAddress();
  document.body.dataset.opened = Math.round(performance.now()); // milliseconds
}

start();
