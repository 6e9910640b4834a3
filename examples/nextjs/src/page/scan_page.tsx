// SPDX-License-Identifier: Apache-2.0
'use client';

import { useState } from 'react';

import { isOver, type ScanView } from '../glint/scan_view';
import { Progress } from './progress';
import { Result } from './result';
import { callApi, explain, type Trouble } from './trouble';
import { TroubleCard } from './trouble_card';
import { useScan } from './use_scan';

const TITLES: Readonly<Record<ScanView['state'], string>> = {
  queued: 'Waiting',
  running: 'Scanning',
  succeeded: 'The result',
  failed: 'No result',
  cancelled: 'Cancelled',
  unspecified: 'Scan',
};

function CancelButton({ scanId }: { scanId: string }) {
  const [asked, setAsked] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  async function cancel() {
    setAsked(true);
    setTrouble(undefined);
    try {
      await callApi(`/api/scans/${encodeURIComponent(scanId)}/cancel`, {});
    } catch (thrown) {
      setTrouble(thrown as Trouble);
      setAsked(false);
    }
  }
  return (
    <p className="actions">
      <button className="button" type="button" onClick={() => void cancel()} disabled={asked}>
        {asked ? 'Cancelling …' : 'Cancel'}
      </button>
      {trouble && <span role="alert">{trouble.title}.</span>}
    </p>
  );
}

/** A scan from the queue to its result; can be reloaded, left and come back to. */
export function ScanPage({ scanId }: { scanId: string }) {
  const { scan, reconnecting, trouble, again } = useScan(scanId);
  const title = scan ? TITLES[scan.state] : trouble ? 'No scan' : 'One moment';
  return (
    <>
      <h1>{title}</h1>
      {scan && (
        <p className="what">
          <b>{scan.scanId}</b> {scan.videoUrl}
        </p>
      )}
      {reconnecting && (
        <p className="notice" role="status">
          The connection was lost; connecting again. The scan goes on meanwhile.
        </p>
      )}
      {trouble && <TroubleCard trouble={trouble} onAgain={again} />}
      {!scan && !trouble && <p role="status">Asking for the scan …</p>}
      {scan && !isOver(scan) && (
        <section className="card">
          <Progress scan={scan} />
          <CancelButton scanId={scanId} />
        </section>
      )}
      {scan?.error && <TroubleCard trouble={explain({ ...scan.error, error: scan.error.message })} />}
      {scan?.result && <Result scanId={scanId} result={scan.result} />}
    </>
  );
}
