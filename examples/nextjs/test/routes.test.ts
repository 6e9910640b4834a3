// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { status } from '@grpc/grpc-js';

import { POST as compatScan } from '../app/api/scan/route';
import { POST as cancel } from '../app/api/scans/[id]/cancel/route';
import { GET as events } from '../app/api/scans/[id]/events/route';
import { GET as page } from '../app/api/scans/[id]/page/route';
import { GET as report } from '../app/api/scans/[id]/report/route';
import { GET as getOne } from '../app/api/scans/[id]/route';
import { POST as submit } from '../app/api/scans/route';
import { GET as workerInfo } from '../app/api/worker/route';
import { ScanState } from '../src/generated/glint/v1/scan';
import { eventStream } from '../src/glint/sse';
import { aResult, aScan, event, failure, finish } from './fake_worker';
import { params, post, until, withWorker } from './support';

const BODY = { videoUrl: 'https://v.example/a.mp4', scanId: 'one', itemType: 'card' };

const watch = (headers: HeadersInit = {}, query = '', signal?: AbortSignal) =>
  events(
    new Request(`http://site.example/api/scans/one/events${query}`, { headers, signal }),
    params('one'),
  );

test('submitting answers 202 with the scan', () =>
  withWorker(async (worker) => {
    const response = await submit(post('/api/scans', { ...BODY, itemType: 'comic' }));
    assert.equal(response.status, 202);
    const { success, created, scan } = await response.json();
    assert.deepEqual([success, created, scan.scanId, scan.state], [true, true, 'one', 'running']);
    assert.equal(worker.submitted[0]?.options?.itemType, 'comic');
    assert.equal(worker.submitted[0]?.videoUrl, BODY.videoUrl);
  }));

test('a bad request never reaches the worker', () =>
  withWorker(async (worker) => {
    const response = await submit(post('/api/scans', { videoUrl: 'file:///etc/passwd' }));
    assert.equal(response.status, 400);
    assert.equal((await response.json()).reason, 'INVALID_REQUEST');
    assert.equal((await getOne(new Request('http://s/'), params('../x'))).status, 400);
    assert.equal(worker.tokens.length, 0);
  }));

test('a full queue is 429 with Retry-After', () =>
  withWorker(async (worker) => {
    worker.submit = () => failure(status.RESOURCE_EXHAUSTED, 'QUEUE_FULL', '64 scans wait', 5_000);
    const response = await submit(post('/api/scans', BODY));
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '5');
    assert.equal((await response.json()).reason, 'QUEUE_FULL');
  }));

test('a worker that is away is 503', () =>
  withWorker(async (worker) => {
    worker.stop();
    const response = await getOne(new Request('http://s/'), params('one'));
    assert.equal(response.status, 503);
    assert.equal((await response.json()).reason, 'WORKER_UNREACHABLE');
  }));

test('a finished scan is words and nulls', () =>
  withWorker(async (worker) => {
    worker.get = () => aResult();
    const { scan } = await (await getOne(new Request('http://s/'), params('one'))).json();
    assert.equal(scan.state, 'succeeded');
    assert.equal(scan.step, 'done');
    assert.equal(scan.result.usable, true);
    assert.equal(scan.result.wallSeconds, 2.5);
    assert.deepEqual(scan.result.namedRegions, [
      { name: 'corner_tl', damagedPercent: 7.25 },
      { name: 'surface', damagedPercent: null },
    ]);
    assert.equal(scan.error, null);
  }));

test('cancelling answers with the scan, and only to scripts', () =>
  withWorker(async () => {
    const response = await cancel(post('/cancel', {}), params('one'));
    assert.equal((await response.json()).scan.state, 'cancelled');
    assert.equal((await cancel(post('/cancel', 'a=b', 'text/plain'), params('one'))).status, 400);
  }));

test('the worker says what it is', () =>
  withWorker(async () => {
    const { worker } = await (await workerInfo(new Request('http://s/'))).json();
    assert.equal(worker.version, '9.9.9');
  }));

test('events carry their numbers and end after the final one', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => {
      call.write(event(1, aScan({ state: ScanState.QUEUED, progress: { queuePosition: 2 } }), true));
      call.write(event(1, aScan({ state: ScanState.QUEUED, progress: { queuePosition: 1 } }), true));
      call.write(event(2, aScan()));
      finish(call, event(3, aResult()));
    };
    const response = await watch();
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.match(response.headers.get('cache-control') ?? '', /no-transform/);
    const blocks = (await response.text()).trimEnd().split('\n\n');
    assert.match(blocks[0] ?? '', /^retry: \d+$/);
    const heads = blocks.slice(1).map((block) => block.split('\ndata: ')[0]);
    assert.deepEqual(heads, [
      'id: 1\nevent: scan',
      'event: scan', // a place in the queue has no number of its own
      'id: 2\nevent: scan',
      'id: 3\nevent: scan',
      'event: end',
    ]);
    const second = JSON.parse(blocks[2]?.split('\ndata: ')[1] ?? '');
    assert.equal(second.queuePosition, 1);
  }));

test('a browser that comes back goes on after its Last-Event-ID', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => {
      call.write(event(4, aScan(), true));
      for (let seq = call.request.afterSeq + 1; seq <= 4; ++seq) call.write(event(seq, aScan()));
      finish(call, event(5, aResult()));
    };
    const ids = async (response: Response) =>
      [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    assert.deepEqual(await ids(await watch({ 'last-event-id': '3' })), [4, 5]);
    assert.deepEqual(await ids(await watch({}, '?after=4')), [5]);
    assert.deepEqual(await ids(await watch({ 'last-event-id': 'x; drop' })), [4, 5]);
  }));

test('a browser that comes back before anything new is answered at once', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => call.write(event(4, aScan(), true));
    const response = await watch({ 'last-event-id': '4' });
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('data:')) text += Buffer.from((await reader.read()).value!).toString();
    assert.doesNotMatch(text, /^id:/m);
    await reader.cancel();
  }));

test('a browser that has everything is told to stop', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => finish(call, event(5, aResult(), true));
    assert.equal((await watch({ 'last-event-id': '5' })).status, 204);
  }));

test('a scan that does not exist is 404 and no stream', () =>
  withWorker(async (worker) => {
    worker.watch = (call) =>
      call.emit('error', failure(status.NOT_FOUND, 'SCAN_NOT_FOUND', 'no scan "one"'));
    const response = await watch();
    assert.equal(response.status, 404);
    assert.equal((await response.json()).error, 'no scan "one"');
  }));

test('a browser that leaves closes the stream to the worker', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => call.write(event(1, aScan(), true));
    const byReader = await watch();
    await byReader.body?.cancel();
    await until(() => worker.left === 1);
    const gone = new AbortController();
    await watch({}, '', gone.signal);
    gone.abort();
    await until(() => worker.left === 2);
  }));

test('silence is filled with heartbeats', async () => {
  async function* slow() {
    yield { seq: 1, scan: aScan() };
    await new Promise((resolve) => setTimeout(resolve, 120));
    yield { seq: 2, scan: aResult() };
  }
  const text = await (await eventStream(slow(), new AbortController(), 20)).text();
  assert.ok(text.split(': still here\n\n').length > 2, text);
});

test('a failure in the middle is an event', async () => {
  async function* broken() {
    yield { seq: 1, scan: aScan() };
    throw new Error('out of luck');
  }
  const text = await (await eventStream(broken(), new AbortController())).text();
  assert.match(text, /event: fault\ndata: .*out of luck/);
});

test('the former app gets the answer that it reads', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => {
      call.write(event(1, aScan(), true));
      finish(call, event(2, aResult()));
    };
    const response = await compatScan(post('/api/scan?compat=1', BODY));
    const at = (name: string) => `https://store.example/one/${name}`;
    assert.deepEqual(await response.json(), {
      success: true,
      scanId: 'one',
      goldenFrames: [at('golden_01.png'), at('golden_02.png')],
      frameTimestamps: [1.333, 0.4],
      cvAnalysis: {
        damageScore: 2.5,
        regionScores: { corner_tl: 7.25 },
        images: {
          defectMask: at('mask.png'),
          overlay: at('overlay.png'),
          varianceMap: at('heatmap.png'),
          regionCrops: {
            corner_tl: at('regions/corner_tl_crop.png'),
            surface: at('regions/surface_crop.png'),
          },
          regionOverlays: {
            corner_tl: at('regions/corner_tl_overlay.png'),
            surface: at('regions/surface_overlay.png'),
          },
        },
      },
      advice: [],
      warnings: ['3 frames were damaged'],
    });
  }));

test('without compat the same body only submits', () =>
  withWorker(async (worker) => {
    const response = await compatScan(post('/api/scan', BODY));
    assert.equal(response.status, 202);
    assert.equal(worker.watched.length, 0);
  }));

test('a scan that failed is an HTTP error to the former app', () =>
  withWorker(async (worker) => {
    const error = { reason: 'NOT_A_VIDEO', code: 3, message: 'this is HTML', retryable: false };
    worker.watch = (call) =>
      finish(call, event(2, aScan({ state: ScanState.FAILED, error }), true));
    const response = await compatScan(post('/api/scan?compat=1', BODY));
    assert.equal(response.status, 415);
    assert.deepEqual(await response.json(), {
      success: false,
      error: 'this is HTML',
      reason: 'NOT_A_VIDEO',
      retryable: false,
    });
  }));

test('a scan that was not judged is no verdict', () =>
  withWorker(async (worker) => {
    const unjudged = aResult();
    unjudged.result!.summary = { ...unjudged.result!.summary!, outcome: 3, advice: ['Step back.'] };
    unjudged.result!.summary.damagedPercent = undefined;
    worker.watch = (call) => finish(call, event(2, unjudged, true));
    const body = await (await compatScan(post('/api/scan?compat=1', BODY))).json();
    assert.equal(body.cvAnalysis, null);
    assert.deepEqual(body.advice, ['Step back.']);
  }));

test('no usable frames is no verdict', () =>
  withWorker(async (worker) => {
    const blurred = aResult();
    blurred.result!.summary = { ...blurred.result!.summary!, outcome: 2, advice: ['Hold still.'] };
    blurred.result!.summary.damagedPercent = undefined;
    worker.watch = (call) => finish(call, event(2, blurred, true));
    const body = await (await compatScan(post('/api/scan?compat=1', BODY))).json();
    assert.equal(body.cvAnalysis, null);
    assert.deepEqual(body.advice, ['Hold still.']);
  }));

test('a worker without addresses of pictures is a mistake of the set-up, not an empty result', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => finish(call, event(2, aResult('one', ''), true));
    const response = await compatScan(post('/api/scan?compat=1', BODY));
    assert.equal(response.ok, false);
    assert.match((await response.json()).error, /URL mode/);
  }));

test('the report comes from the store, cut down to what the page draws', () =>
  withWorker(async (worker) => {
    const region = { id: 1, kind: 'line', box: [1, 2, 3, 4], area_px: 9, length_px: 5, strength: 0.5 };
    const seen = { ...region, id: 2, family: 'lines', confidence: 0.9, best_frame: 412 };
    const store = createServer((request, response) => {
      if (request.url !== '/report.json') return response.writeHead(403).end();
      const named_regions = [{ name: 'spine', box: [0, 0, 8, 100], damaged_percent: 1 }];
      response.end(
        JSON.stringify({
          object: { size: [600, 800] },
          named_regions,
          regions: [{ ...region, width_px: 2, views: 3 }, seen],
          frames: [],
        }),
      );
    });
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    worker.get = () => aResult('one', base);
    const found = await (await report(new Request('http://s/'), params('one'))).json();
    assert.deepEqual(found.report, {
      size: [600, 800],
      regions: [region, seen],
      namedRegions: [{ name: 'spine', box: [0, 0, 8, 100] }],
    });
    worker.get = () => aResult('one', `${base}/denied`);
    const denied = await report(new Request('http://s/'), params('one'));
    assert.equal(denied.status, 503);
    assert.match((await denied.json()).error, /403/);
    store.closeAllConnections();
    store.close();
  }));

test('the whole report is a page here, whatever type the store serves it as', () =>
  withWorker(async (worker) => {
    const store = createServer((request, response) => {
      if (request.url !== '/report.html') return response.writeHead(400).end();
      response.writeHead(200, { 'content-type': 'text/plain' }).end('<h1>Damage</h1>');
    });
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    worker.get = () => aResult('one', base);
    const shown = await page(new Request('http://s/'), params('one'));
    assert.equal(shown.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(shown.headers.get('content-security-policy') ?? '', /^sandbox allow-scripts/);
    assert.equal(await shown.text(), '<h1>Damage</h1>');
    worker.get = () => aResult('one', `${base}/expired`);
    assert.equal((await page(new Request('http://s/'), params('one'))).status, 503);
    store.closeAllConnections();
    store.close();
  }));
