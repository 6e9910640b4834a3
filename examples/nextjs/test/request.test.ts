// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseScanRequest, readJson } from '../src/glint/request';
import { readSettings } from '../src/glint/settings';
import { post } from './support';

const VIDEO = 'https://videos.example/a.mp4?sig=1';

test('the body of the former app is understood', () => {
  for (const [theirs, ours] of [
    ['comic', 'comic'],
    ['card', 'card'],
    ['toy', 'generic'],
    ['page', 'page'],
    ['surface', 'surface'],
    [undefined, 'card'],
  ]) {
    const request = parseScanRequest({ videoUrl: VIDEO, scanId: 'v-1', itemType: theirs }, 'card');
    assert.equal(request.options.itemType, ours);
    assert.equal(request.videoUrl, VIDEO);
    assert.equal(request.scanId, 'v-1');
  }
});

test('what callers of the former worker send is understood', () => {
  const request = parseScanRequest({ video_url: VIDEO, scan_id: 'v-2', item_type: 'comic' }, 'card');
  assert.deepEqual([request.videoUrl, request.scanId], [VIDEO, 'v-2']);
  assert.equal(request.options.itemType, 'comic');
});

test('a video that was uploaded is named by its address, and by no other path', () => {
  assert.equal(parseScanRequest({ videoUrl: 'upload://site-1' }, 'card').videoUrl, 'upload://site-1');
  for (const videoUrl of ['upload://', 'upload://../x', 'upload://.x', 'upload://a/b']) {
    assert.throws(() => parseScanRequest({ videoUrl }, 'card'), /videoUrl/, videoUrl);
  }
});

test('a scan without an id gets one that nobody can guess', () => {
  const ids = [1, 2].map(() => parseScanRequest({ videoUrl: VIDEO }, 'card').scanId);
  assert.match(ids[0] ?? '', /^scan-[0-9a-f-]{36}$/);
  assert.notEqual(ids[0], ids[1]);
});

test('bad requests say which field is wrong', () => {
  for (const [body, field] of [
    [null, /object/],
    [{}, /videoUrl/],
    [{ videoUrl: 7 }, /videoUrl/],
    [{ videoUrl: 'ftp://a/b' }, /videoUrl/],
    [{ videoUrl: 'file:///etc/passwd' }, /videoUrl/],
    [{ videoUrl: 'https://user:pw@host/a' }, /videoUrl/],
    [{ videoUrl: `https://a/${'x'.repeat(9000)}` }, /videoUrl/],
    [{ videoUrl: VIDEO, scanId: '../x' }, /scanId/],
    [{ videoUrl: VIDEO, scanId: '.x' }, /scanId/],
    [{ videoUrl: VIDEO, scanId: '' }, /scanId/],
    [{ videoUrl: VIDEO, scanId: 'x'.repeat(129) }, /scanId/],
    [{ videoUrl: VIDEO, itemType: 'car' }, /itemType/],
    [{ videoUrl: VIDEO, itemType: 'constructor' }, /itemType/],
    [{ videoUrl: VIDEO, profile: 'magic' }, /profile/],
  ] as const) {
    assert.throws(() => parseScanRequest(body, 'card'), { reason: 'INVALID_REQUEST', message: field });
  }
});

test('bodies must be small JSON that a foreign form cannot send', async () => {
  const refused = { reason: 'INVALID_REQUEST' };
  await assert.rejects(readJson(post('/', '{}', 'text/plain')), refused);
  await assert.rejects(readJson(post('/', '{')), refused);
  await assert.rejects(readJson(post('/', `"${'x'.repeat(40_000)}"`)), refused);
  assert.deepEqual(await readJson(post('/', '{"a":1}', 'application/json; charset=utf-8')), { a: 1 });
});

test('a token does not leave the machine unencrypted by accident', () => {
  const token = { GLINT_TOKEN: 'top-secret' };
  const remote = { ...token, GLINT_SERVER: 'worker.example:443' };
  assert.throws(
    () => readSettings(remote),
    (error: Error) => /GLINT_TLS=1/.test(error.message) && !error.message.includes('top-secret'),
  );
  assert.ok(readSettings({ ...remote, GLINT_TLS: '1' }).tls);
  assert.equal(readSettings({ ...remote, GLINT_PLAINTEXT: '1' }).tls, undefined);
  for (const local of ['127.0.0.1:50051', 'localhost:1', '[::1]:50051']) {
    assert.equal(readSettings({ ...token, GLINT_SERVER: local }).token, 'top-secret');
  }
  assert.throws(() => readSettings({ ...token, GLINT_SERVER: '127.0.0.1.evil.example:1' }), /TLS/);
});

test('an address with a scheme is refused', () => {
  assert.throws(() => readSettings({ GLINT_SERVER: 'http://worker:50051' }), /host:port/);
});
