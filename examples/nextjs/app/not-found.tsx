// SPDX-License-Identifier: Apache-2.0
import Link from 'next/link';

export default function NotFound() {
  return (
    <section className="card">
      <h1>There is nothing here</h1>
      <p>The address may be mistyped, or the scan may be too old to be kept.</p>
      <Link className="button primary" href="/">
        Scan a video
      </Link>
    </section>
  );
}
