// SPDX-License-Identifier: Apache-2.0
'use client';

import Link from 'next/link';
import { useEffect, useState } from 'react';

import type { ScanView } from '../glint/scan_view';
import { callApi, type Trouble } from './trouble';
import { TroubleCard } from './trouble_card';

interface Page {
  scans: ScanView[];
  next: string;
}

/** The site's scans, newest first. */
export function ScanList() {
  const [scans, setScans] = useState<ScanView[]>();
  const [next, setNext] = useState('');
  const [trouble, setTrouble] = useState<Trouble>();
  async function load(after: string) {
    try {
      const page = await callApi<Page>(`/api/scans?after=${encodeURIComponent(after)}`);
      setScans((before) => [...(after ? (before ?? []) : []), ...page.scans]);
      setNext(page.next);
    } catch (thrown) {
      setTrouble(thrown as Trouble);
    }
  }
  useEffect(() => void load(''), []);
  if (trouble) return <TroubleCard trouble={trouble} />;
  if (!scans) return <p role="status">Asking for the scans …</p>;
  if (!scans.length) return <p>None yet.</p>;
  return (
    <>
      <ul className="scans">
        {scans.map((scan) => (
          <li key={scan.scanId} className="card">
            <Link href={`/scans/${encodeURIComponent(scan.scanId)}`}>{scan.scanId}</Link>
            <p className="hint">
              {scan.state}
              {scan.createTime && (
                <>
                  , <time dateTime={scan.createTime}>{new Date(scan.createTime).toLocaleString()}</time>
                </>
              )}
            </p>
            {scan.error && <p>{scan.error.message}</p>}
          </li>
        ))}
      </ul>
      {next && (
        <button className="button" type="button" onClick={() => void load(next)}>
          Older ones
        </button>
      )}
    </>
  );
}
