// SPDX-License-Identifier: Apache-2.0
import { NextResponse, type NextRequest } from 'next/server';

import { mayVisit } from '@/glint/login';

export function middleware(request: NextRequest): Response {
  if (mayVisit(request.headers)) return NextResponse.next();
  return new Response('Sign in to use this site.\n', {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="glint", charset="UTF-8"', 'cache-control': 'no-store' },
  });
}

export const config = { matcher: '/((?!_next/static).*)' };
