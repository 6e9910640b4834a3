// SPDX-License-Identifier: Apache-2.0
// One gRPC channel for the whole process, and the way to a fresh one.
import { Channel, ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';

import { ScanServiceClient } from '../generated/glint/v1/scan_service';
import { WorkerServiceClient } from '../generated/glint/v1/worker_service';
import { readSettings, type Settings } from './settings';

export interface Connection {
  scans: ScanServiceClient;
  worker: WorkerServiceClient;
  /** Headers that every call carries. */
  metadata: Metadata;
  channel: Channel;
}

const CHANNEL_OPTIONS = {
  // A dead connection is noticed while a call is under way, not at its deadline.
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Without it all channels of the process share connections, and a fresh channel gets the dead one.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 5_000,
};

function channelCredentials(tls: Settings['tls']): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  return credentials.createSsl(tls.ca ?? null, tls.key ?? null, tls.cert ?? null);
}

export function connect(settings: Settings): Connection {
  const secret = channelCredentials(settings.tls);
  const channel = new Channel(settings.address, secret, CHANNEL_OPTIONS);
  const metadata = new Metadata();
  if (settings.token) metadata.set('authorization', `Bearer ${settings.token}`);
  const options = { channelOverride: channel };
  return {
    scans: new ScanServiceClient(settings.address, secret, options),
    worker: new WorkerServiceClient(settings.address, secret, options),
    metadata,
    channel,
  };
}

// Modules are evaluated again on every hot reload and once per route bundle; the process is one.
const shared = globalThis as typeof globalThis & { glintConnection?: Connection };

/** The process's connection, made at the first call. */
export function connection(): Connection {
  return (shared.glintConnection ??= connect(readSettings()));
}

/**
 * Puts a new channel in the place of one that failed; calls that still run on the old one go on.
 * Callers that fail together share one replacement.
 */
export function reconnect(failed: Connection): Connection {
  if (shared.glintConnection === failed) {
    failed.channel.close();
    shared.glintConnection = undefined;
  }
  return connection();
}
