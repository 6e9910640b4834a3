// SPDX-License-Identifier: Apache-2.0
import { readSamples } from '@/page/samples';
import { SubmitForm } from '@/page/submit_form';

export const dynamic = 'force-dynamic'; // samples come from the environment at run time

export default function Home() {
  return (
    <>
      <h1>Find the damage</h1>
      <p className="lead">
        Film the front of a comic, a card or a page: slowly, from above, a few seconds. Give the
        address of the video; glint finds creases, scratches and worn corners and shows them.
      </p>
      <SubmitForm samples={readSamples()} />
    </>
  );
}
