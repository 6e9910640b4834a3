// SPDX-License-Identifier: Apache-2.0
// Serves the standalone build, to this machine alone unless GLINT_SITE_HOST says otherwise: the routes ask for
// no login unless GLINT_SITE_LOGIN is set.
import { cpSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import env from '@next/env'; // a part of Next.js

const site = dirname(dirname(fileURLToPath(import.meta.url)));
const standalone = join(site, '.next/standalone');
const server = join(standalone, 'server.js');
if (!existsSync(server)) {
  console.error('There is no build yet: npm run build');
  process.exit(1);
}
// Next.js leaves them beside it.
cpSync(join(site, '.next/static'), join(standalone, '.next/static'), { recursive: true });
if (existsSync(join(site, 'public'))) cpSync(join(site, 'public'), join(standalone, 'public'), { recursive: true });
env.loadEnvConfig(site, false); // .env.local: the standalone server knows its own folder alone
process.env.HOSTNAME = process.env.GLINT_SITE_HOST ?? '127.0.0.1'; // shells set HOSTNAME to the machine's name
await import(pathToFileURL(server).href);
