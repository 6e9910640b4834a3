// SPDX-License-Identifier: Apache-2.0
import { ScanPage } from '@/page/scan_page';

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <ScanPage scanId={(await params).id} />;
}
