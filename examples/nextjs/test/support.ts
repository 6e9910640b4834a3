// SPDX-License-Identifier: Apache-2.0
import { connection } from '../src/glint/connection';
import { FakeWorker } from './fake_worker';

/** Runs `test` against a fake worker that the process's connection leads to. */
export async function withWorker(test: (worker: FakeWorker) => Promise<void>): Promise<void> {
  const worker = new FakeWorker();
  await worker.start();
  process.env.GLINT_SERVER = worker.address;
  process.env.GLINT_TOKEN = 'secret-token';
  forgetConnection();
  try {
    await test(worker);
  } finally {
    forgetConnection();
    worker.stop();
  }
}

export function forgetConnection(): void {
  const shared = globalThis as { glintConnection?: ReturnType<typeof connection> };
  shared.glintConnection?.channel.close();
  delete shared.glintConnection;
}

/** Waits until `condition` holds; fails after 5 seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 5_000) throw new Error(`not within 5 s: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const post = (path: string, body: unknown, type = 'application/json'): Request =>
  new Request(`http://site.example${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

export const params = (id: string) => ({ params: Promise.resolve({ id }) });
