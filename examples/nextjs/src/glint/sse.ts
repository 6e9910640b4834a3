// SPDX-License-Identifier: Apache-2.0
// A scan's updates as Server-Sent Events: `scan` with a ScanView, last one `end` or `fault`. The id
// is the event's number, so a browser that lost the connection goes on where it was.
import { errorBody } from './http_errors';
import { toGlintError } from './error';
import type { Update } from './follow';
import { scanView } from './view';

/** Proxies close connections that are silent for longer than about a minute. */
const HEARTBEAT_MS = 15_000;
/** How long a browser waits before it connects again. */
const RETRY_MS = 1_500;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no', // nginx would hold the events back
};

const message = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The number after which a client wants to go on: its own header, or `?after=` of a new one. */
export function resumePoint(request: Request): number {
  const asked =
    request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '';
  return /^\d{1,15}$/.test(asked) ? Number(asked) : 0;
}

/**
 * Answers with the updates as they come. The first one is awaited, so that a scan that does not
 * exist is an HTTP error; nothing left to tell is 204, which stops a browser's EventSource.
 * @param gone  ends `updates` when it is aborted; aborted here when the browser goes
 * @throws GlintError when the first update cannot be had
 */
export async function eventStream(
  updates: AsyncGenerator<Update>,
  gone: AbortController,
  heartbeatMs = HEARTBEAT_MS,
): Promise<Response> {
  const first = await updates.next();
  if (first.done) return new Response(null, { status: 204 });

  const encoder = new TextEncoder();
  let beat: ReturnType<typeof setInterval> | undefined;
  let pending: IteratorResult<Update> | undefined = first;
  const stop = () => clearInterval(beat);
  gone.signal.addEventListener('abort', stop, { once: true });

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      send(`retry: ${RETRY_MS}\n\n`);
      beat = setInterval(() => {
        if (controller.desiredSize === null) stop();
        else send(': still here\n\n');
      }, heartbeatMs);
    },
    async pull(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      try {
        const next = pending ?? (await updates.next());
        pending = undefined;
        if (!next.done) {
          send(message('scan', scanView(next.value.scan), next.value.seq));
          return;
        }
        send(message('end', {}));
      } catch (error) {
        send(message('fault', errorBody(toGlintError(error))));
      }
      stop();
      controller.close();
    },
    cancel() {
      gone.abort();
    },
  });
  return new Response(body, { headers: HEADERS });
}
