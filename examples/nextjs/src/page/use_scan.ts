// SPDX-License-Identifier: Apache-2.0
'use client';

import { useCallback, useEffect, useState } from 'react';

import { isOver, type ScanView } from '../glint/scan_view';
import { callApi, explain, type FailureBody, type Trouble } from './trouble';

export interface Following {
  scan?: ScanView;
  /** The connection is lost and is being made again. */
  reconnecting: boolean;
  /** Following is over: the scan cannot be had. */
  trouble?: Trouble;
  /** Starts following anew. */
  again: () => void;
}

/** Attempts without one update before the page gives up and says so. */
const MAX_ATTEMPTS = 6;

/**
 * Follows a scan from the browser. EventSource comes back by itself after a broken connection, with
 * the number of the last event; only when the server answers with an error it gives up, and then
 * the reason is asked for and, where waiting may help, a new one is opened.
 */
export function useScan(scanId: string): Following {
  const [scan, setScan] = useState<ScanView>();
  const [reconnecting, setReconnecting] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  const [round, setRound] = useState(0);

  useEffect(() => {
    const path = `/api/scans/${encodeURIComponent(scanId)}`;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = '';
    let attempts = 0;
    let stopped = false;

    const stop = (why?: Trouble) => {
      stopped = true;
      clearTimeout(timer);
      source?.close();
      setReconnecting(false);
      setTrouble(why);
    };

    const askWhy = async () => {
      try {
        const { scan: now } = await callApi<{ scan: ScanView }>(path);
        if (stopped) return;
        setScan(now);
        if (isOver(now)) return stop();
      } catch (thrown) {
        const why = thrown as Trouble;
        if (stopped) return;
        if (!why.again || attempts >= MAX_ATTEMPTS) return stop(why);
      }
      timer = setTimeout(open, Math.min(500 * 2 ** attempts, 8_000));
    };

    const open = () => {
      ++attempts;
      source = new EventSource(`${path}/events${last && `?after=${last}`}`);
      source.addEventListener('scan', (event: MessageEvent<string>) => {
        attempts = 0;
        last = event.lastEventId || last;
        setReconnecting(false);
        setScan(JSON.parse(event.data) as ScanView);
      });
      source.addEventListener('end', () => stop());
      source.addEventListener('fault', (event: MessageEvent<string>) => {
        const body = JSON.parse(event.data) as FailureBody;
        source?.close();
        if (!body.retryable) return stop(explain(body));
        setReconnecting(true);
        void askWhy();
      });
      source.onerror = () => {
        if (stopped) return;
        setReconnecting(true);
        if (source?.readyState === EventSource.CLOSED) void askWhy();
      };
    };

    setTrouble(undefined);
    open();
    return () => stop();
  }, [scanId, round]);

  const again = useCallback(() => setRound((now) => now + 1), []);
  return { scan, reconnecting, trouble, again };
}
