// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { GET as list } from '../app/api/scans/route';
import { POST as upload } from '../app/api/uploads/route';
import { mayVisit } from '../src/glint/login';
import { withWorker } from './support';

const VIDEO = Buffer.from('....ftyp of a video');

const sent = (headers: Record<string, string> = {}) =>
  new Request('http://site.example/api/uploads', {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(VIDEO.length),
      ...headers,
    },
    body: VIDEO,
  });

/** An HTTP port that answers every request so, and remembers the last one. */
async function withPort(
  status: number,
  body: unknown,
  run: (url: string, last: { url: string; headers: IncomingHttpHeaders; body: Buffer }) => Promise<void>,
) {
  const last = { url: '', headers: {} as IncomingHttpHeaders, body: Buffer.alloc(0) };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      Object.assign(last, { url: request.url, headers: request.headers, body: Buffer.concat(pieces) });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, last);
  } finally {
    server.close();
  }
}

test('an upload is passed on to the worker, with the token of the site', () =>
  withWorker((worker) =>
    withPort(201, {}, async (url, last) => {
      worker.httpUrl = url;
      const response = await upload(sent());
      assert.equal(response.status, 201);
      const { videoUrl } = await response.json();
      assert.match(videoUrl, /^upload:\/\/site-[0-9a-f-]{36}$/);
      assert.equal(last.url, videoUrl.replace('upload://', '/v1/uploads/'));
      assert.equal(last.headers.authorization, 'Bearer secret-token');
      assert.equal(last.headers['content-length'], String(VIDEO.length));
      assert.deepEqual(last.body, VIDEO);
    }),
  ));

test('what the worker refuses of an upload is said', () =>
  withWorker((worker) =>
    withPort(
      415,
      { code: 3, message: 'no MP4', details: [{ reason: 'NOT_A_VIDEO' }] },
      async (url) => {
        worker.httpUrl = url;
        const response = await upload(sent());
        assert.equal(response.status, 415);
        assert.equal((await response.json()).reason, 'NOT_A_VIDEO');
      },
    ),
  ));

test('a worker without HTTP takes no uploads, and a foreign form can send none', () =>
  withWorker(async () => {
    const response = await upload(sent());
    assert.equal(response.status, 501);
    assert.equal((await response.json()).reason, 'NO_UPLOADS');
    assert.equal((await upload(sent({ 'content-type': 'text/plain' }))).status, 400);
  }));

test('scans are listed only where visitors have signed in', () =>
  withWorker(async (worker) => {
    assert.equal((await list(new Request('http://s/api/scans'))).status, 403);
    assert.deepEqual(worker.listed, []);
    process.env.GLINT_SITE_LOGIN = 'me:secret';
    try {
      const page = await (await list(new Request('http://s/api/scans'))).json();
      assert.deepEqual([page.scans[0].scanId, page.next], ['one', 'more']);
      await list(new Request('http://s/api/scans?after=more'));
      assert.deepEqual(worker.listed, ['', 'more']);
    } finally {
      delete process.env.GLINT_SITE_LOGIN;
    }
  }));

test('the login lets in who knows it, and everybody where there is none', () => {
  const env = { GLINT_SITE_LOGIN: 'me:geheim\u00e4' };
  const basic = (text: string) =>
    new Headers({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  assert.equal(mayVisit(new Headers(), {}), true);
  assert.equal(mayVisit(basic('me:geheim\u00e4'), env), true);
  for (const headers of [
    new Headers(),
    basic('me:geheim'),
    basic('me:geheim\u00e4x'),
    basic(''),
    new Headers({ authorization: 'Basic %%%' }),
    new Headers({ authorization: 'Bearer x' }),
  ]) {
    assert.equal(mayVisit(headers, env), false);
  }
});
