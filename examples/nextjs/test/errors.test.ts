// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Metadata, status, type ServiceError } from '@grpc/grpc-js';

import { GlintError, scanFailure, toGlintError } from '../src/glint/error';
import { errorResponse, httpStatus } from '../src/glint/http_errors';
import { failure, type Failure } from './fake_worker';

const thrown = (made: Failure): ServiceError =>
  Object.assign(new Error(made.details), { metadata: new Metadata(), ...made });

test('details of a failed call become reason and waiting time', () => {
  const error = toGlintError(
    thrown(failure(status.RESOURCE_EXHAUSTED, 'QUEUE_FULL', '64 scans wait', 2_500)),
  );
  assert.equal(error.reason, 'QUEUE_FULL');
  assert.equal(error.message, '64 scans wait');
  assert.equal(error.retryAfterMs, 2_500);
  assert.equal(error.retryable, true);
  assert.equal(error.fromWorker, true);
});

test('a failure on the way names no address', () => {
  const error = toGlintError(
    thrown({ code: status.UNAVAILABLE, details: 'connect ECONNREFUSED 10.0.0.7:50051' }),
  );
  assert.equal(error.reason, 'WORKER_UNREACHABLE');
  assert.equal(error.fromWorker, false);
  assert.doesNotMatch(error.message, /10\.0\.0\.7/);
});

test('details that are no details leave the status as it is', () => {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from([0xff, 0xff, 0xff]));
  const error = toGlintError(thrown({ code: status.NOT_FOUND, details: 'no scan', metadata }));
  assert.equal(error.reason, 'NOT_FOUND');
  assert.equal(error.message, 'no scan');
});

test('every reason has the HTTP status of docs/api.md', () => {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| ([A-Z_]+) \| (\d{3}) \|/gm)];
  assert.ok(rows.length > 25, 'the table of reasons was not found');
  for (const [, reason = '', code = '', http] of rows) {
    const error = new GlintError(reason, status[code as keyof typeof status], '', false);
    const expected = reason === 'UNAUTHENTICATED' ? 500 : Number(http); // the site's own token
    assert.equal(httpStatus(error), expected, reason);
  }
});

test('an unknown reason falls back to its code', () => {
  assert.equal(httpStatus(new GlintError('NEW', status.UNAVAILABLE, '', true)), 503);
  assert.equal(httpStatus(new GlintError('NEW', status.UNKNOWN, '', false)), 500);
});

test('RetryInfo becomes Retry-After in whole seconds, never less than asked', async () => {
  const error = thrown(failure(status.RESOURCE_EXHAUSTED, 'QUEUE_FULL', 'full', 2_100));
  const response = errorResponse(error);
  assert.equal(response.status, 429);
  assert.equal(response.headers.get('retry-after'), '3');
  assert.deepEqual(await response.json(), {
    success: false,
    error: 'full',
    reason: 'QUEUE_FULL',
    retryable: true,
    retryAfterSeconds: 3,
  });
});

test("what concerns the operator only is not told to the site's visitors", async (context) => {
  const log = context.mock.method(console, 'error', () => {});
  const response = errorResponse(
    thrown(failure(status.UNAUTHENTICATED, 'UNAUTHENTICATED', 'token "abc" is not known')),
  );
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /token/);
  assert.match(String(log.mock.calls[0]?.arguments[0]), /UNAUTHENTICATED/);
});

test('a scan that failed is the same kind of failure', () => {
  const error = scanFailure({
    reason: 'NOT_A_VIDEO',
    code: status.INVALID_ARGUMENT,
    message: 'this is HTML',
    retryable: false,
  });
  assert.equal(httpStatus(error), 415);
  assert.equal(error.message, 'this is HTML');
});
