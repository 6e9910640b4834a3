// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { status } from '@grpc/grpc-js';

import { ScanState } from '../src/generated/glint/v1/scan';
import { getScan, submitScan } from '../src/glint/client';
import { connection, reconnect } from '../src/glint/connection';
import { followScan, type FollowOptions } from '../src/glint/follow';
import { aResult, aScan, event, failure, finish } from './fake_worker';
import { until, withWorker } from './support';

async function follow(options: FollowOptions = {}) {
  const seen: (number | undefined)[] = [];
  for await (const update of followScan('one', { patienceMs: 4_000, ...options })) {
    seen.push(update.seq);
  }
  return seen;
}

test('a newcomer gets the snapshot, then each later event once', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => {
      call.write(event(3, aScan(), true));
      for (const seq of [1, 2, 3, 4]) call.write(event(seq, aScan()));
      call.write(event(4, aScan(), true)); // only the place in the queue changed
      finish(call, event(5, aResult()));
    };
    assert.deepEqual(await follow(), [3, 4, undefined, 5]);
  }));

test('who comes back gets the events after the last one, and no snapshot', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => {
      call.write(event(4, aScan(), true));
      for (let seq = call.request.afterSeq + 1; seq <= 4; ++seq) call.write(event(seq, aScan()));
      finish(call, event(5, aResult()));
    };
    assert.deepEqual(await follow({ afterSeq: 2 }), [3, 4, 5]);
    assert.deepEqual(worker.watched, [2]);
  }));

test('nothing comes after the final event', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => finish(call, event(5, aResult(), true));
    assert.deepEqual(await follow({ afterSeq: 5 }), []);
    assert.deepEqual(await follow(), [5]);
  }));

test('a broken stream is taken up again on a fresh channel, with nothing lost or twice', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => {
      const after = call.request.afterSeq;
      call.write(event(after + 1, aScan(), true));
      call.write(event(after + 1, aScan()));
      call.write(event(after + 2, after === 4 ? aResult() : aScan()));
      if (after === 0) call.emit('error', { code: status.UNAVAILABLE, details: 'gone' });
      else call.end(); // as a draining worker: OK, but without a final event
    };
    assert.deepEqual(await follow(), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(worker.watched, [0, 2, 4]);
    assert.equal(worker.peers.size, 3);
  }));

test('a worker that restarts is found again', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => {
      if (call.request.afterSeq > 0) return finish(call, event(2, aResult()));
      call.write(event(1, aScan(), true));
    };
    const updates = followScan('one');
    assert.equal((await updates.next()).value?.seq, 1);
    worker.stop();
    await worker.start(worker.address);
    assert.equal((await updates.next()).value?.seq, 2);
    assert.equal((await updates.next()).done, true);
  }));

test('a worker that stays away is an error after a while', () =>
  withWorker(async (worker) => {
    worker.stop();
    await assert.rejects(follow({ patienceMs: 500 }), { reason: 'WORKER_UNREACHABLE' });
  }));

test('a scan that does not exist is told at once', () =>
  withWorker(async (worker) => {
    worker.watch = (call) =>
      call.emit('error', failure(status.NOT_FOUND, 'SCAN_NOT_FOUND', 'no scan "one"'));
    await assert.rejects(follow(), { reason: 'SCAN_NOT_FOUND' });
    assert.equal(worker.watched.length, 1);
  }));

test('a final event without objects is completed', () =>
  withWorker(async (worker) => {
    const bare = aResult();
    bare.result!.objects = [];
    worker.watch = (call) => finish(call, event(9, bare, true));
    worker.get = () => aResult();
    const { value } = await followScan('one').next();
    assert.equal(value?.scan.result?.objects.length, aResult().result?.objects.length);
  }));

test('leaving closes the stream', () =>
  withWorker(async (worker) => {
    worker.watch = (call) => call.write(event(1, aScan(), true));
    const gone = new AbortController();
    const updates = followScan('one', { signal: gone.signal });
    await updates.next();
    assert.equal(worker.left, 0);
    gone.abort();
    assert.equal((await updates.next()).done, true);
    await until(() => worker.left === 1);
  }));

test('calls carry the token and share one channel', () =>
  withWorker(async (worker) => {
    await Promise.all(['a', 'b', 'c'].map((id) => getScan(id)));
    assert.deepEqual(worker.tokens, Array(3).fill('Bearer secret-token'));
    assert.equal(worker.peers.size, 1);
  }));

test('a call on a dead connection is made again on a fresh one', () =>
  withWorker(async (worker) => {
    await getScan('one');
    let calls = 0;
    worker.submit = ({ scanId }) =>
      ++calls === 1 ? { code: status.UNAVAILABLE, details: 'dead' } : aScan({ scanId });
    const { scan } = await submitScan({ scanId: 'x', videoUrl: 'https://v/x', options: {} });
    assert.equal(scan.scanId, 'x');
    assert.equal(worker.peers.size, 2);
  }));

test('what the worker refuses is not asked twice', () =>
  withWorker(async (worker) => {
    let calls = 0;
    worker.get = () => {
      ++calls;
      return failure(status.RESOURCE_EXHAUSTED, 'QUEUE_FULL', 'full', 1_000);
    };
    await assert.rejects(getScan('one'), { reason: 'QUEUE_FULL', retryAfterMs: 1_000 });
    assert.equal(calls, 1);
  }));

test('a fresh channel leaves streams on the old one alone', () =>
  withWorker(async (worker) => {
    let end = () => {};
    worker.watch = (call) => {
      call.write(event(1, aScan(), true));
      end = () => finish(call, event(2, aScan({ state: ScanState.CANCELLED })));
    };
    const updates = followScan('one');
    await updates.next();
    reconnect(connection());
    await getScan('other');
    end();
    assert.equal((await updates.next()).value?.seq, 2);
    assert.equal(worker.watched.length, 1);
  }));
