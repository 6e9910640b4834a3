// SPDX-License-Identifier: Apache-2.0
'use client';

import Link from 'next/link';
import { useEffect, useState } from 'react';

import type { Trouble } from './trouble';

function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    setLeft(seconds);
    if (!seconds) return;
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}

/** What went wrong, what to do, and a button that does it. */
export function TroubleCard({ trouble, onAgain }: { trouble: Trouble; onAgain?: () => void }) {
  const left = useCountdown(trouble.waitSeconds ?? 0);
  return (
    <section className="notice trouble" role="alert">
      <h2>{trouble.title}</h2>
      <p>{trouble.advice}</p>
      {trouble.detail && (
        <details>
          <summary>Detail</summary>
          <p className="detail">{trouble.detail}</p>
        </details>
      )}
      <p className="actions">
        {onAgain && (
          <button className="button" type="button" onClick={onAgain} disabled={left > 0}>
            {left > 0 ? `Try again in ${left} s` : 'Try again'}
          </button>
        )}
        <Link className="button" href="/">
          Scan another video
        </Link>
      </p>
    </section>
  );
}
