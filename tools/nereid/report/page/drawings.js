// Pictures: layouts, shared memory over time, the timeline of warps and asynchronous operations.

// Okabe and Ito.
const palette = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#0072b2', '#d55e00', '#f0e442', '#999999'];

function showHint(event, text) {
  const hint = document.getElementById('hint');
  hint.hidden = !text;
  hint.textContent = text;
  hint.style.left = `${Math.min(event.clientX + 12, innerWidth - 260)}px`;
  hint.style.top = `${Math.min(event.clientY + 14, innerHeight - 60)}px`;
}

function createCanvas(parent, width, height) {
  const canvas = document.createElement('canvas'), scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.getContext('2d').scale(scale, scale);
  parent.append(canvas);
  canvas.addEventListener('mouseleave', event => showHint(event, ''));
  return canvas;
}

// Black or white, whichever has more contrast on a colour of the palette that is drawn over the background.
function textOn(color, alpha) {
  const part = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16), back = colorOf('--back');
  const [r, g, b] = [0, 1, 2].map(i => part(color, i) * alpha + part(back, i) * (1 - alpha));
  return 0.299 * r + 0.587 * g + 0.114 * b > 125 ? '#14171b' : '#ffffff';
}

function colorOf(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// --- layouts ---

// For each element the first place that holds it: a packed number of register (or offset), lane, warp and CTA.
function findPlaces(layout) {
  const bits = layout.bases.map(list => list.length), all = bits.reduce((sum, n) => sum + n, 0), flat = layout.bases.flat();
  const count = layout.shape.reduce((product, n) => product * n, 1), places = new Int32Array(count).fill(-1);
  for (let place = 0, element = 0; place < 2 ** all; ++place) {
    if (places[element] < 0) places[element] = place;
    const next = place + 1, changed = place ^ next;
    for (let bit = 0; bit < all && changed >> bit; ++bit)
      if (changed >> bit & 1) element ^= flat[bit];
  }
  const split = place => {
    const parts = [];
    for (const n of bits) {
      parts.push(place & (1 << n) - 1);
      place >>= n;
    }
    return {register: parts[0], lane: parts[1], warp: parts[2], cta: parts[3]};
  };
  return {places, split, lanes: 2 ** bits[1]};
}

function placeText(layout, place) {
  return layout.shared ? `offset ${place.register}, bank ${Math.floor(place.register * layout.element_bits / 32) % 32}`
                       : `thread ${place.warp * 32 + place.lane} (warp ${place.warp}, lane ${place.lane}), register ${place.register}`;
}

// A warp has a colour and its lanes go from light to dark; a bank of shared memory has a shade.
function fillOf(layout, place, lanes) {
  if (layout.shared) return `hsl(205, 65%, ${88 - Math.floor(place.register * layout.element_bits / 32) % 32 * 2}%)`;
  return `color-mix(in srgb, ${palette[place.warp % palette.length]} ${35 + Math.round(65 * place.lane / lanes)}%, white)`;
}

function drawLayout(parent, layout) {
  const rank = layout.shape.length, extent = layout.shape[rank - 1] || 1;
  const columns = rank === 1 ? Math.min(extent, 128) : extent, rows = rank > 1 ? layout.shape[rank - 2] : Math.ceil(extent / columns); // a vector in rows of 128
  const {places, split, lanes} = findPlaces(layout);
  const width = Math.max(2, Math.min(44, Math.floor(860 / columns))), height = rank === 1 ? 20 : Math.max(3, Math.min(20, width, Math.floor(520 / rows)));
  const box = document.createElement('div');
  box.className = 'picture';
  box.innerHTML = `<h3>layout <span class="code">${escapeText(layout.shape.join('x'))}</span></h3><p class="code">${escapeText(layout.encoding)}</p>` +
    `<p class="quiet">${layout.shared ? 'shade: bank of 4 bytes' : 'colour: warp; shade: lane'}${rank > 2 ? '; the first slice' : ''}</p>`;
  parent.append(box);
  const canvas = createCanvas(box, columns * width, rows * height), context = canvas.getContext('2d');
  context.font = '10px system-ui';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const place = split(places[row * columns + column]), gap = width > 6 ? 1 : 0;
      context.fillStyle = fillOf(layout, place, lanes);
      context.fillRect(column * width, row * height, width - gap, height - gap);
      context.fillStyle = '#1c2026';
      if (width >= 36) context.fillText(layout.shared ? place.register : `${place.warp * 32 + place.lane}:${place.register}`, (column + 0.5) * width, (row + 0.5) * height);
    }
  canvas.addEventListener('mousemove', event => {
    const row = Math.floor(event.offsetY / height), column = Math.floor(event.offsetX / width);
    if (row < rows && column < columns && row * columns + column < places.length) showHint(event, `${rank === 1 ? `element ${row * columns + column}` : `row ${row}, column ${column}`}: ${placeText(layout, split(places[row * columns + column]))}`);
  });
}

// --- shared memory ---

function kindOf(buffer) { return buffer.kind === 'virtual' ? 'frame of a callee' : buffer.kind; }

// The operation that needs a buffer, and for an allocation its type: "ttgir:27  4x128x64xf16".
function bufferName(buffer) {
  if (!buffer.line) return kindOf(buffer);
  const stage = stageIndex[buffer.stage], type = /memdesc<([^,>]*)/.exec(lineAt(stage, buffer.line).text);
  return placeName(stage, buffer.line) + (buffer.kind === 'explicit' && type ? `  ${type[1]}` : '');
}

// Small buffers, such as mbarriers, are too small for the map.
function bufferTable(buffers) {
  const rows = buffers.map((buffer, i) => {
    const line = buffer.line ? lineAt(stageIndex[buffer.stage], buffer.line) : null;
    return `<tr${line ? ` data-to="${buffer.stage}:${buffer.line}"` : ''}><td class="amount">${format(buffer.offset)}</td><td class="amount">${format(buffer.bytes)}</td>` +
           `<td><i class="swatch" style="background:${palette[i % palette.length]}"></i>${kindOf(buffer)}</td><td>${escapeText(line ? placeName(stageIndex[buffer.stage], buffer.line) : '')}</td>` +
           `<td class="code">${escapeText(line ? line.text.trim() : `@${buffer.function}`)}</td></tr>`;
  });
  return `<table><thead><tr><th class="amount">offset<th class="amount">bytes<th>kind<th>line<th>text</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

// A step of the axis: a power of two of which at most five fit.
function memoryStep(bytes) {
  let step = 4;
  while (bytes / step > 5) step *= 2;
  return step;
}

function memoryBoxes(buffers, bytes, left, width, height) {
  const end = Math.max(...buffers.flatMap(buffer => buffer.live.map(range => range[1]))) + 1;
  return buffers.flatMap((buffer, i) => buffer.live.map(([first, last]) => ({
    buffer, color: palette[i % palette.length], x: left + first / end * width, w: Math.max(3, (last + 1 - first) / end * width),
    y: height - (buffer.offset + buffer.bytes) / bytes * height, h: Math.max(2, buffer.bytes / bytes * height)})));
}

function drawBuffer(context, {buffer, color, x, y, w, h}) {
  const isOwn = buffer.kind === 'explicit', alpha = isOwn ? 0.75 : 0.4;
  context.fillStyle = color;
  context.globalAlpha = alpha;
  context.fillRect(x, y, w - 1, h - 1);
  context.globalAlpha = 1;
  if (!isOwn) { // scratch and frames of callees have a dashed edge
    context.setLineDash([3, 3]);
    context.strokeStyle = colorOf('--text');
    context.strokeRect(x + 0.5, y + 0.5, w - 2, h - 2);
    context.setLineDash([]);
  }
  context.fillStyle = textOn(color, alpha);
  const name = bufferName(buffer);
  if (h > 14 && context.measureText(name).width + 12 < w) context.fillText(name, x + 6, y + h / 2);
}

function showMemory(parent) {
  const {buffers, bytes} = report.memory;
  if (!buffers.length) {
    parent.innerHTML = '<p class="quiet">The kernel uses no shared memory, or the input is past its allocation.</p>';
    return;
  }
  const left = 72, width = Math.max(200, parent.clientWidth - left - 40), height = Math.max(120, Math.min(420, Math.round(parent.clientHeight * 0.6)));
  parent.innerHTML = `<p>${format(bytes)} bytes per CTA; upwards: offsets, to the right: operations in the order of execution. Select a buffer to see the operation that needs it. Dashed: scratch of an operation, or the frame of a callee.</p>`;
  const canvas = createCanvas(parent, width + left, height + 18), context = canvas.getContext('2d');
  const boxes = memoryBoxes(buffers, bytes, left, width, height), step = memoryStep(bytes);
  context.font = '11px system-ui';
  context.textBaseline = 'middle';
  for (let at = 0; at <= bytes; at += step) {
    const y = height - at / bytes * height;
    context.fillStyle = colorOf('--rule');
    context.fillRect(left, Math.min(height - 1, Math.floor(y)), width, 1);
    context.fillStyle = colorOf('--muted');
    context.textAlign = 'right';
    context.fillText(step % 1024 || !at ? format(at) : `${at / 1024} KiB`, left - 8, Math.min(height - 6, Math.max(6, y)));
  }
  context.textAlign = 'left';
  boxes.forEach(box => drawBuffer(context, box));
  context.fillStyle = colorOf('--muted');
  context.fillText('time →', left, height + 10);
  parent.insertAdjacentHTML('beforeend', bufferTable(buffers));
  // Of boxes that overlap, because they are drawn larger than they are, the smallest.
  const boxAt = event => boxes.filter(box => event.offsetX >= box.x && event.offsetX < box.x + box.w && event.offsetY >= box.y - 1 && event.offsetY < box.y + box.h + 1)
      .sort((a, b) => a.h - b.h)[0];
  canvas.addEventListener('mousemove', event => {
    const box = boxAt(event);
    showHint(event, box ? `${kindOf(box.buffer)}: bytes ${box.buffer.offset} to ${box.buffer.offset + box.buffer.bytes - 1} of @${box.buffer.function}\n${bufferName(box.buffer)}` : '');
  });
  canvas.addEventListener('click', event => {
    const box = boxAt(event);
    if (box && box.buffer.line) select(stageIndex[box.buffer.stage], box.buffer.line);
  });
}

// --- the timeline ---

const eventColors = {run: '#9fb3c4', issue: '#56b4e9', wait: '#e69f00', barrier: '#d55e00', mbarrier: '#cc79a7',
                     copy: '#009e73', load: '#009e73', store: '#b8a800', send: '#b8a800', wgmma: '#0072b2'};
const waits = new Set(['wait', 'barrier', 'mbarrier']); // hatched

// Asynchronous operations of one kind and warp that complete together are one.
function joinEvents() {
  const joined = [], open = new Map();
  for (const event of report.timeline.events) {
    const [kind, cta, warp, , end] = event, key = `${kind} ${cta} ${warp} ${end}`;
    if (kind >= 5 && open.has(key)) ++open.get(key)[7];
    else {
      joined.push([...event, 1]);
      open.set(key, joined[joined.length - 1]);
    }
  }
  return joined;
}

// For each line of the ttgir in a partition of a ttg.warp_specialize: "default", "partition 0" and so on.
function partitionsOfLines(stage) {
  const names = new Map();
  let name = '', indent = 0;
  stages[stage].lines.forEach(({text}, i) => {
    const [, space, kind, index] = /^( *)(default|partition)(\d*)[ (]/.exec(text) || [];
    if (kind) [name, indent] = [`${kind} ${index}`.trim(), space.length];
    if (name) names.set(i + 1, name);
    if (name && !kind && text.startsWith(' '.repeat(indent) + '}')) name = '';
  });
  return names;
}

// For each warp the partition to which most of its instructions belong; empty without partitions.
function warpPartitions() {
  const found = new Map(), ttgir = stageIndex.ttgir, names = ttgir === undefined ? new Map() : partitionsOfLines(ttgir), ofLine = new Map();
  if (!names.size) return found;
  for (const [kind, , warp, , , line, count] of report.timeline.events) {
    if (kind >= 5 || !line) continue;
    if (!ofLine.has(line)) ofLine.set(line, [...related(stageIndex.ptx, line)[ttgir]].map(n => names.get(n)).find(Boolean));
    const counts = found.get(warp) || new Map(), name = ofLine.get(line);
    if (name) counts.set(name, (counts.get(name) || 0) + count);
    found.set(warp, counts);
  }
  return new Map([...found].map(([warp, counts]) => [warp, ([...counts].sort((a, b) => b[1] - a[1])[0] || ['idle'])[0]]));
}

// Tracks: one per warp; below them asynchronous operations, in as many rows as overlap.
function createTracks() {
  const tracks = new Map(), kinds = report.timeline.kinds, several = report.timeline.events.some(event => event[1]), roles = warpPartitions();
  for (const [kind, cta, warp, begin, end, line, count, joined] of joinEvents()) {
    const name = kinds[kind], isWarp = kind < 5, prefix = several ? `CTA ${cta} ` : '';
    for (let row = 0;; ++row) {
      const key = isWarp ? `${prefix}warp ${warp}` : `${prefix}${name}${name === 'load' || name === 'store' ? '' : `, warp ${warp}`}`, id = `${key}#${isWarp ? 0 : row}`;
      const role = isWarp && roles.get(warp) ? `, ${roles.get(warp)}` : '';
      const track = tracks.get(id) || {label: key + role, order: [cta, isWarp ? 0 : 1, kind, warp, row], events: []};
      const last = track.events[track.events.length - 1];
      if (!isWarp && last && last.end > begin) continue;
      track.events.push({name, begin, end, line, count, joined});
      tracks.set(id, track);
      break;
    }
  }
  const compare = (a, b) => a.order.map((n, i) => n - b.order[i]).find(n => n) || 0;
  return [...tracks.values()].sort(compare);
}

function drawEvent(context, event, x, w, y, h) {
  context.fillStyle = eventColors[event.name];
  context.fillRect(x, y, w, h);
  if (!waits.has(event.name) || w < 5) return;
  context.strokeStyle = '#00000055';
  context.beginPath();
  for (let at = 4; at < w + h; at += 5) {
    context.moveTo(x + Math.max(0, at - h), y + Math.min(at, h));
    context.lineTo(x + Math.min(at, w), y + Math.max(0, at - w));
  }
  context.stroke();
}

function showTimeline(parent) {
  if (!report.timeline.events.length) {
    parent.innerHTML = '<p class="quiet">The report has no timeline: it was written without arguments (--arg), or the kernel could not run.</p>';
    return;
  }
  const tracks = createTracks(), end = Math.max(...report.timeline.events.map(event => event[4])), rowSize = 18;
  const left = 24 + 6 * Math.max(...tracks.map(track => track.label.length)), width = Math.max(200, parent.clientWidth - left - 30), used = new Set(report.timeline.events.map(event => report.timeline.kinds[event[0]]));
  const view = {from: 0, to: end};
  parent.innerHTML = `<p>${format(end)} steps of the first cluster; a step is one instruction of a warp. Wheel or + and −: zoom, drag: move. Select an event to see its line.${report.timeline.dropped ? ` ${format(report.timeline.dropped)} events are left out.` : ''}</p>` +
    `<div class="legend">${[...used].map(name => `<span><i style="background:${eventColors[name]}"></i>${name}${waits.has(name) ? ' (hatched)' : ''}</span>`).join('')}</div>`;
  const canvas = createCanvas(parent, width + left, tracks.length * rowSize + 20), context = canvas.getContext('2d');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `tracks: ${tracks.map(track => track.label).join('; ')}`);
  const toX = step => left + (step - view.from) / (view.to - view.from) * width;
  const draw = () => {
    context.clearRect(0, 0, width + left, tracks.length * rowSize + 20);
    context.font = '11px system-ui';
    context.textBaseline = 'middle';
    tracks.forEach((track, row) => {
      for (const event of track.events) {
        const x = Math.max(left, toX(event.begin)), w = Math.min(width + left, toX(event.end)) - x;
        if (w > 0) drawEvent(context, event, x, Math.max(1, w - 0.5), row * rowSize + 2, rowSize - 4);
      }
      context.fillStyle = colorOf('--text');
      context.fillText(track.label, 0, row * rowSize + rowSize / 2);
    });
    context.fillStyle = colorOf('--muted');
    for (let i = 0; i <= 4; ++i) context.fillText(format(Math.round(view.from + (view.to - view.from) * i / 4)), left + (width - 40) * i / 4, tracks.length * rowSize + 10);
  };
  const zoom = (factor, center) => {
    const size = Math.min(end, Math.max(20, (view.to - view.from) * factor)), share = (center - view.from) / (view.to - view.from);
    view.from = Math.max(0, Math.min(end - size, center - share * size));
    view.to = view.from + size;
    draw();
  };
  const eventAt = mouse => {
    const track = tracks[Math.floor(mouse.offsetY / rowSize)], step = view.from + (mouse.offsetX - left) / width * (view.to - view.from);
    return mouse.offsetX >= left && track && track.events.find(event => event.begin <= step && step < event.end);
  };
  let drag = null;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + (event.offsetX - left) / width * (view.to - view.from));
  });
  canvas.addEventListener('keydown', event => {
    if (event.key === '+' || event.key === '-') zoom(event.key === '-' ? 1.25 : 0.8, (view.from + view.to) / 2);
  });
  canvas.addEventListener('mousedown', event => { drag = {x: event.offsetX, from: view.from, moved: false}; });
  canvas.addEventListener('mouseup', event => {
    const found = drag && !drag.moved && eventAt(event);
    drag = null;
    if (found && found.line) select(stageIndex.ptx, found.line);
  });
  canvas.addEventListener('mousemove', event => {
    if (drag && event.buttons) {
      const size = view.to - view.from;
      drag.moved = drag.moved || Math.abs(event.offsetX - drag.x) > 3;
      view.from = Math.max(0, Math.min(end - size, drag.from - (event.offsetX - drag.x) / width * size));
      view.to = view.from + size;
      draw();
    }
    const found = eventAt(event);
    showHint(event, found ? `${found.joined > 1 ? `${found.joined} of ` : ''}${found.name}, steps ${found.begin} to ${found.end}${found.line ? `\nptx:${found.line}  ${lineAt(stageIndex.ptx, found.line).text.trim().slice(0, 90)}` : ''}` : '');
  });
  draw();
}
