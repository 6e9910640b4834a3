// SPDX-License-Identifier: Apache-2.0
// What the server side reads from its environment. Nothing of it reaches the browser.
import { readFileSync } from 'node:fs';

export interface Settings {
  /** host:port of the worker. */
  address: string;
  /** Bearer token; empty for a worker that asks for none. */
  token: string;
  /** PEM texts; absent without TLS. `ca` empty: the system's roots. */
  tls?: { ca?: Buffer; cert?: Buffer; key?: Buffer };
}

type Environment = Readonly<Record<string, string | undefined>>;

const file = (path: string | undefined) => (path ? readFileSync(path) : undefined);

function isLoopback(address: string): boolean {
  const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Reads and checks the settings.
 * @throws Error that says which variable is wrong and what to do; it holds no secrets
 */
export function readSettings(env: Environment = process.env): Settings {
  const address = env.GLINT_SERVER || '127.0.0.1:50051';
  if (!/^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):\d{1,5}$/.test(address)) {
    throw new Error('GLINT_SERVER must be host:port, without a scheme');
  }
  // The worker's own token file may hold several, one per line.
  const listed = file(env.GLINT_TOKEN_FILE)?.toString().split('\n')[0];
  const token = (env.GLINT_TOKEN || listed || '').trim();
  const tls =
    env.GLINT_TLS === '1'
      ? { ca: file(env.GLINT_TLS_CA), cert: file(env.GLINT_TLS_CERT), key: file(env.GLINT_TLS_KEY) }
      : undefined;
  if (token && !tls && !isLoopback(address) && env.GLINT_PLAINTEXT !== '1') {
    throw new Error(
      `the token would cross the network to ${address} unencrypted: set GLINT_TLS=1, or ` +
        'GLINT_PLAINTEXT=1 where the network is private (a compose file, one host)',
    );
  }
  return { address, token, tls };
}
