// SPDX-License-Identifier: Apache-2.0
import type { Metadata, Viewport } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';

import { asksForLogin } from '@/glint/login';

import './globals.css';

export const metadata: Metadata = {
  title: 'glint: find the damage',
  description: 'A video of a comic, a card or a page becomes a map of its physical damage.',
  icons: { icon: '/icon.svg' },
};

export const viewport: Viewport = { colorScheme: 'light dark' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <header className="top">
          <Link href="/" className="brand">
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M12 1l2.6 8.4L23 12l-8.4 2.6L12 23l-2.6-8.4L1 12l8.4-2.6z" />
            </svg>
            glint
          </Link>
          {asksForLogin() && <Link href="/scans">Scans</Link>}
        </header>
        <main id="main">{children}</main>
      </body>
    </html>
  );
}
