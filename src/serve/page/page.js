// SPDX-License-Identifier: Apache-2.0
// The worker's page: uploads a video by the tus protocol, has it scanned, follows the scan.
'use strict';

const PIECE = 4 << 20;  // bytes of a PATCH: what is lost when a connection breaks
const TRIES = 5;
const byId = (id) => document.getElementById(id);
const cards = new Map();  // by scan id
let older = '';

class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const say = (text) => { byId('said').textContent = text; };

/// Calls the API. @return the response, when it is a good one
async function call(path, options = {}) {
  const headers = new Headers(options.headers);
  const token = sessionStorage.getItem('glint-token');
  if (token) headers.set('authorization', 'Bearer ' + token);
  let response;
  try {
    response = await fetch(path, {...options, headers, cache: 'no-store', credentials: 'omit'});
  } catch {
    throw new Failure(0, 'The worker does not answer.');
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  if (response.status === 401) {
    sessionStorage.removeItem('glint-token');
    askForToken(token ? 'This token is not known here.' : '');
  }
  throw new Failure(response.status, said.message || `The worker answers ${response.status}.`);
}

const json = async (path, options) => (await call(path, options)).json();
const post = (path, body) => json(path, {
  method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)});

function askForToken(why) {
  byId('login').hidden = false;
  byId('work').hidden = true;
  byId('forget').hidden = true;
  byId('login-error').textContent = why;
  byId('token').focus();
}

// What a scan is called by people.
const STATES = {QUEUED: 'waits', RUNNING: 'runs', SUCCEEDED: 'done', FAILED: 'failed', CANCELLED: 'cancelled'};
const STEPS = {
  QUEUED: 'Waits for its turn', DOWNLOADING: 'Fetches the video', DECODING: 'Opens the video',
  MEASURING: 'Looks at every frame', SELECTING: 'Chooses the steady frames', LOCATING: 'Looks for the object',
  REGISTERING: 'Lays the frames onto each other', DETECTING: 'Looks for damage', RENDERING: 'Draws the pictures',
  UPLOADING: 'Stores the result', DONE: 'Done'};
const bare = (name, prefix) => (name || '').replace(prefix, '');

/// What is scanned, and since when, in the words of this page.
function factsOf(scan) {
  const options = scan.options || {};
  const type = byId('type').querySelector(`option[value="${CSS.escape(options.itemType || '')}"]`);
  const since = new Date(scan.createTime).toLocaleString([], {dateStyle: 'medium', timeStyle: 'short'});
  return [type && type.textContent, options.objectSize, since].filter(Boolean).join(' · ');
}

/// An id that says which file it was, and that no other scan has.
function idFor(file) {
  const name = file.name.replace(/\.[^.]*$/, '').normalize('NFKD').replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '').slice(0, 60);
  const random = [...crypto.getRandomValues(new Uint8Array(5))];
  return `${name || 'scan'}-${random.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/// The path of an object here, whatever name the worker is called by elsewhere.
function here(url) {
  const parsed = new URL(url, location.href);
  return parsed.pathname + parsed.search;
}

function cardOf(id, atTop) {
  if (cards.has(id)) return cards.get(id);
  const card = byId('scan').content.cloneNode(true).querySelector('li');
  card.querySelector('h3').textContent = id;
  card.querySelector('progress').setAttribute('aria-label', 'Progress of ' + id);
  card.querySelector('.show').setAttribute('aria-label', 'Show the report of ' + id);
  card.querySelector('.zip').setAttribute('aria-label', 'Download everything of ' + id);
  card.querySelector('.cancel').setAttribute('aria-label', 'Cancel ' + id);
  card.querySelector('.cancel').addEventListener('click', () => {
    post(`/v1/scans/${id}:cancel`, {}).then((answer) => show(answer.scan)).catch((failure) => {
      card.querySelector('.error').textContent = failure.message;
    });
  });
  byId('scans')[atTop ? 'prepend' : 'append'](card);
  cards.set(id, card);
  byId('none').hidden = true;
  return card;
}

function textOf(scan, state) {
  const progress = scan.progress || {};
  if (state === 'QUEUED' && progress.queuePosition > 0) return `${progress.queuePosition} before it`;
  if (state === 'RUNNING') return STEPS[bare(progress.step, 'SCAN_STEP_')] || '';
  const summary = scan.result && scan.result.summary;
  if (!summary) return '';
  if (scan.result.bothSides) return scan.result.bothSides.verdict;
  if (summary.verdict) return summary.verdict;
  return (summary.advice || []).join(' ') || 'Nothing could be judged.';
}

/// Shows how a scan stands. A scan from a list has no result: that is asked for.
function show(scan, atTop = false) {
  const card = cardOf(scan.scanId, atTop);
  const state = bare(scan.state, 'SCAN_STATE_');
  const shown = card.querySelector('.state');
  shown.textContent = STATES[state] || state;
  shown.className = 'state ' + state;
  card.querySelector('.facts').textContent = factsOf(scan);
  card.querySelector('.text').textContent = textOf(scan, state);
  card.querySelector('.error').textContent = state === 'FAILED' && scan.error ? scan.error.message : '';
  const bar = card.querySelector('progress');
  bar.hidden = state !== 'RUNNING';
  bar.value = (scan.progress && scan.progress.fraction) || 0;
  card.querySelector('.cancel').hidden = state !== 'QUEUED' && state !== 'RUNNING';
  if (state !== 'SUCCEEDED') return;
  if (scan.result) return showResult(card, scan);
  json(`/v1/scans/${scan.scanId}`).then((answer) => show(answer.scan)).catch(() => {});
}

function showResult(card, scan) {
  const objects = scan.result.objects || [];
  const page = objects.find((object) => object.name === 'report.html' && object.url);
  if (!page) return;
  const path = here(page.url);
  const button = card.querySelector('.show');
  button.hidden = false;
  button.onclick = () => {
    byId('report-title').textContent = scan.scanId;
    byId('report-tab').href = path;
    byId('report-frame').src = path;
    byId('report').showModal();
  };
  const files = path.indexOf('/files/report.html');
  if (files < 0) return;
  const zip = card.querySelector('.zip');
  zip.href = path.slice(0, files) + ':download' + path.slice(path.indexOf('?'));
  zip.hidden = false;
}

/// The messages of a stream of server-sent events.
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const message = {event: 'message', id: '', data: ''};
      for (const line of text.slice(0, end).split('\n')) {
        const colon = line.indexOf(': ');
        if (colon > 0) message[line.slice(0, colon)] = line.slice(colon + 2);
      }
      text = text.slice(end + 2);
      if (message.data) yield message;
    }
  }
}

async function follow(id) {
  let last = '0';
  for (let tries = 0; tries < TRIES; ++tries) {
    try {
      for await (const message of eventsOf(await call(`/v1/scans/${id}:watch?afterSeq=${last}`))) {
        if (message.event === 'end') {
          const {scan} = await json(`/v1/scans/${id}`);
          show(scan);
          return say(`${id}: ${STATES[bare(scan.state, 'SCAN_STATE_')]}`);
        }
        if (message.event === 'failure') break;
        if (message.id) last = message.id;
        show(JSON.parse(message.data).event.scan);
        tries = 0;
      }
    } catch (failure) {
      if (failure.status === 401 || failure.status === 404) return;
    }
    await sleep(1000);
  }
}

/// Brings a file, piece by piece; goes on where it was when a connection breaks. @return its address
async function upload(file) {
  const begun = await call('/v1/uploads', {method: 'POST', headers: {
    'tus-resumable': '1.0.0', 'upload-length': String(file.size)}});
  const {uploadId, videoUrl} = await begun.json();
  const path = '/v1/uploads/' + uploadId;
  let offset = 0;
  for (let tries = 0; offset < file.size;) {
    byId('upload-bar').value = offset / file.size;
    byId('upload-text').textContent = `Uploading: ${Math.floor(100 * offset / file.size)} %`;
    try {
      const answer = await call(path, {method: 'PATCH', body: file.slice(offset, offset + PIECE), headers: {
        'tus-resumable': '1.0.0', 'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream'}});
      offset = Number(answer.headers.get('upload-offset'));
      tries = 0;
    } catch (failure) {
      const passes = failure.status === 0 || failure.status === 409 || failure.status === 423;
      if (!passes || ++tries > TRIES) throw failure;
      await sleep(1000);
      const answer = await call(path, {method: 'HEAD'}).catch(() => null);
      if (answer) offset = Number(answer.headers.get('upload-offset'));
    }
  }
  return videoUrl;
}

async function scanNew(event) {
  event.preventDefault();
  const file = byId('file').files[0];
  const url = byId('url').value.trim();
  byId('new-error').textContent = file || url ? '' : 'Choose a video first.';
  if (!file && !url) return;
  const button = byId('new').querySelector('button[type="submit"]');
  button.disabled = true;
  byId('uploading').hidden = !file;
  say('The video is on its way.');
  try {
    const videoUrl = file ? await upload(file) : url;
    const options = {itemType: byId('type').value, objectSize: byId('size').value.trim()};
    const {scan} = await post('/v1/scans', {videoUrl, options, ...(file ? {scanId: idFor(file)} : {})});
    show(scan, true);
    follow(scan.scanId);
    say('The scan waits.');
    byId('file').value = byId('url').value = '';
  } catch (failure) {
    byId('new-error').textContent = failure.message;
  }
  button.disabled = false;
  byId('uploading').hidden = true;
}

async function list() {
  const answer = await json('/v1/scans?pageSize=20' + (older ? '&pageToken=' + encodeURIComponent(older) : ''));
  older = answer.nextPageToken || '';
  byId('older').hidden = !older;
  byId('login').hidden = true;
  byId('work').hidden = false;
  byId('forget').hidden = !sessionStorage.getItem('glint-token');
  byId('none').hidden = cards.size > 0 || (answer.scans || []).length > 0;
  for (const scan of answer.scans || []) {
    show(scan);
    if (/QUEUED|RUNNING/.test(scan.state)) follow(scan.scanId);
  }
}

function takeDropped(event) {
  event.preventDefault();
  byId('drop').classList.remove('over');
  if (event.dataTransfer.files.length > 0) byId('file').files = event.dataTransfer.files;
}

byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('glint-token', byId('token').value.trim());
  byId('token').value = '';
  list().then(() => byId('file').focus()).catch((failure) => {
    if (failure.status !== 401) byId('login-error').textContent = failure.message;
  });
});
byId('forget').addEventListener('click', () => {
  sessionStorage.removeItem('glint-token');
  location.reload();
});
byId('new').addEventListener('submit', scanNew);
byId('older').addEventListener('click', () => list().catch((failure) => say(failure.message)));
byId('report-close').addEventListener('click', () => byId('report').close());
byId('report').addEventListener('close', () => byId('report-frame').removeAttribute('src'));
for (const name of ['dragenter', 'dragover']) {
  byId('drop').addEventListener(name, (event) => {
    event.preventDefault();
    byId('drop').classList.add('over');
  });
}
byId('drop').addEventListener('dragleave', () => byId('drop').classList.remove('over'));
byId('drop').addEventListener('drop', takeDropped);
list().catch((failure) => { if (failure.status !== 401) say(failure.message); });
