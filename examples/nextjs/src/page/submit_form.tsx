// SPDX-License-Identifier: Apache-2.0
'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState, type FormEvent } from 'react';

import type { ScanView } from '../glint/scan_view';
import type { Sample } from './samples';
import { callApi, explain, type FailureBody, type Trouble } from './trouble';
import { TroubleCard } from './trouble_card';

const ITEMS: [value: string, label: string][] = [
  ['comic', 'Comic or magazine'],
  ['card', 'Trading card'],
  ['page', 'Single page'],
  ['surface', 'A surface that fills the picture'],
  ['generic', 'Something else'],
];

/** Brings a file of the visitor's to the worker. @return its `videoUrl`; throws Trouble */
async function upload(file: File): Promise<string> {
  let response: Response;
  try {
    response = await fetch('/api/uploads', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
    });
  } catch {
    throw explain({ reason: 'OFFLINE', retryable: true });
  }
  const said = (await response.json().catch(() => ({}))) as FailureBody & { videoUrl?: string };
  if (!response.ok || !said.videoUrl) throw explain(said);
  return said.videoUrl;
}

interface Wanted {
  videoUrl: string;
  itemType: string;
  profile?: string;
}

export function SubmitForm({ samples }: { samples: Sample[] }) {
  const router = useRouter();
  const [videoUrl, setVideoUrl] = useState('');
  const [file, setFile] = useState<File>();
  const [itemType, setItemType] = useState('comic');
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  const [last, setLast] = useState<Wanted>();
  // Before scripts run, the button would reload the page and lose what was typed.
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);

  async function submit(wanted: Wanted) {
    setBusy(true);
    setTrouble(undefined);
    setLast(wanted);
    try {
      const { scan } = await callApi<{ scan: ScanView }>('/api/scans', wanted);
      router.push(`/scans/${scan.scanId}`);
    } catch (thrown) {
      setTrouble(thrown as Trouble);
      setBusy(false);
    }
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void (async () => {
      setBusy(true);
      setTrouble(undefined);
      try {
        await submit({ videoUrl: file ? await upload(file) : videoUrl, itemType });
      } catch (thrown) {
        setTrouble(thrown as Trouble);
        setBusy(false);
      }
    })();
  }

  return (
    <>
      <form className="card form" onSubmit={onSubmit}>
        <label htmlFor="url">Address of the video</label>
        <input
          id="url"
          type="url"
          required={!file}
          pattern="https?://.+"
          title="An address that starts with https:// or http://"
          placeholder="https://"
          autoComplete="off"
          value={videoUrl}
          onChange={(event) => setVideoUrl(event.target.value)}
          aria-describedby="url-hint"
        />
        <p className="hint" id="url-hint">
          Of the file itself (MP4, MOV, WebM …).
        </p>
        <label htmlFor="file">Or a video on this device</label>
        <input
          id="file"
          type="file"
          accept="video/*"
          onChange={(event) => setFile(event.target.files?.[0])}
        />
        <fieldset>
          <legend>What is it?</legend>
          <div className="choices">
            {ITEMS.map(([value, label]) => (
              <label key={value} className="choice">
                <input
                  type="radio"
                  name="item"
                  value={value}
                  checked={itemType === value}
                  onChange={() => setItemType(value)}
                />
                <span>{label}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <button className="button primary" type="submit" disabled={busy || !ready}>
          {busy ? 'Sending …' : 'Scan'}
        </button>
      </form>
      {trouble && <TroubleCard trouble={trouble} onAgain={last && (() => void submit(last))} />}
      {samples.length > 0 && (
        <section className="card" aria-labelledby="samples">
          <h2 id="samples">No video at hand? Try one of these</h2>
          <ul className="samples">
            {samples.map(({ title, ...sample }) => (
              <li key={sample.videoUrl}>
                <button
                  className="button sample"
                  type="button"
                  disabled={busy || !ready}
                  onClick={() => void submit(sample)}
                >
                  <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path d="M8 5v14l11-7z" />
                  </svg>
                  {title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
