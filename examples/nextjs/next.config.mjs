// SPDX-License-Identifier: Apache-2.0
/** @type {import('next').NextConfig} */
export default {
  // grpc-js must stay outside the bundle: bundled, its connections fail in production builds.
  serverExternalPackages: ['@grpc/grpc-js'],
  // A folder that runs with `node server.js` alone, for a small container.
  output: 'standalone',
  outputFileTracingRoot: new URL('.', import.meta.url).pathname,
  poweredByHeader: false,
};
