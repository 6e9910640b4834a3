// SPDX-License-Identifier: Apache-2.0
import { ScanList } from '@/page/scan_list';

export default function Page() {
  return (
    <>
      <h1>Scans</h1>
      <ScanList />
    </>
  );
}
