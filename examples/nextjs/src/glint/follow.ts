// SPDX-License-Identifier: Apache-2.0
// A scan's events as one endless-looking sequence, whatever happens to the connections below it.
import { status, type ClientReadableStream } from '@grpc/grpc-js';

import { ScanState, type Scan } from '../generated/glint/v1/scan';
import { WatchScanRequest, type WatchScanResponse } from '../generated/glint/v1/scan_service';
import { getScan, worthAnotherChannel } from './client';
import { connection, reconnect } from './connection';
import { GlintError, toGlintError } from './error';

export interface Update {
  /** Number of the event; absent for the scan as it stands without a new event. */
  seq?: number;
  scan: Scan;
}

export interface FollowOptions {
  /** Events up to this one are left out; 0: start with the scan as it stands. */
  afterSeq?: number;
  signal?: AbortSignal;
  /** How long to try again when the worker cannot be reached. */
  patienceMs?: number;
}

/** A stream without its first message by then runs on a dead connection. */
const FIRST_MESSAGE_MS = 5_000;
/** Streams are opened anew after this long, so that none outlives a load balancer's patience. */
const STREAM_MS = 15 * 60_000;

export const isFinal = (scan: Scan): boolean =>
  scan.state === ScanState.SUCCEEDED ||
  scan.state === ScanState.FAILED ||
  scan.state === ScanState.CANCELLED;

/** The final event carries the objects; a snapshot of an ended scan may not. */
async function complete(scan: Scan, signal?: AbortSignal): Promise<Scan> {
  const lacks = scan.state === ScanState.SUCCEEDED && !scan.result?.objects.length;
  return lacks ? getScan(scan.scanId, signal) : scan;
}

function open(scanId: string, afterSeq: number, signal?: AbortSignal) {
  const to = connection();
  const options = { deadline: Date.now() + STREAM_MS };
  const stream = to.scans.watchScan(WatchScanRequest.fromPartial({ scanId, afterSeq }), to.metadata, options);
  stream.on('error', () => {}); // the reader below sees it too; unheard, it would end the process
  const leave = () => stream.cancel();
  if (signal?.aborted) leave();
  else signal?.addEventListener('abort', leave, { once: true });
  const close = () => {
    signal?.removeEventListener('abort', leave);
    stream.cancel();
  };
  return { to, stream, close };
}

const unreachable = () =>
  new GlintError(
    'WORKER_UNREACHABLE',
    status.UNAVAILABLE,
    'the scan worker cannot be reached; try again soon',
    true,
    undefined,
    false,
  );

/** The messages of one stream. Throws GlintError; also when the stream stays silent at first. */
async function* messages(
  stream: ClientReadableStream<WatchScanResponse>,
): AsyncGenerator<WatchScanResponse> {
  let silent = false;
  const timer = setTimeout(() => {
    silent = true;
    stream.cancel();
  }, FIRST_MESSAGE_MS);
  try {
    for await (const message of stream as AsyncIterable<WatchScanResponse>) {
      clearTimeout(timer);
      yield message;
    }
  } catch (error) {
    throw silent ? unreachable() : toGlintError(error);
  } finally {
    clearTimeout(timer);
  }
}

const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });

/**
 * The updates of one stream that are new to the caller.
 * @param last  number of the latest event that the caller has; 0: none
 * @returns whether the scan has ended
 */
async function* updates(
  stream: ClientReadableStream<WatchScanResponse>,
  last: number,
): AsyncGenerator<Update, boolean> {
  let first = true;
  for await (const { event, snapshot } of messages(stream)) {
    if (!event?.scan) continue;
    const { seq, scan } = event;
    const opening = first;
    first = false;
    if (snapshot && opening && last > 0) {
      if (seq > last) continue; // what it shows comes as events below
      if (isFinal(scan)) return true;
    }
    if (snapshot && (!opening || last > 0)) {
      yield { scan };
      continue;
    }
    // A newcomer takes the snapshot for everything before it.
    if (seq <= last) continue;
    last = seq;
    yield { seq, scan };
    if (isFinal(scan)) return true;
  }
  return false;
}

/**
 * Follows a scan to its end: each event once, in order, across broken connections and restarts of
 * the worker. Ends after the final update, or with nothing when `afterSeq` is the final event, or
 * when `signal` is aborted. Leaving does not cancel the scan.
 * @throws GlintError when the scan does not exist, or the worker is away for longer than patience
 */
export async function* followScan(
  scanId: string,
  { afterSeq = 0, signal, patienceMs = 30_000 }: FollowOptions = {},
): AsyncGenerator<Update> {
  let last = afterSeq;
  let lostAt: number | undefined;
  for (let tries = 0; !signal?.aborted; ++tries) {
    const { to, stream, close } = open(scanId, last, signal);
    try {
      const news = updates(stream, last);
      for (;;) {
        const { value, done } = await news.next();
        if (done && value) return;
        if (done) throw unreachable(); // ended before the scan: the worker is leaving
        const scan = await complete(value.scan, signal);
        lostAt = undefined;
        tries = 0;
        last = value.seq ?? last;
        yield { ...value, scan };
      }
    } catch (error) {
      const failure = toGlintError(error);
      if (signal?.aborted) return;
      if (!worthAnotherChannel(failure)) throw failure;
      lostAt ??= Date.now();
      if (Date.now() - lostAt > patienceMs) throw failure;
    } finally {
      close();
    }
    await pause(Math.min(200 * 2 ** Math.min(tries, 5), 5_000), signal);
    if (!signal?.aborted) reconnect(to);
  }
}
