// A resumed run makes events again, whose texts may be stored elsewhere.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type TextPlace, textPlaces } from '../../../schemas/config.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import { textsIn } from '../../../schemas/texts.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { evidenceStream, rollout } from '../../ledger/contract/samples.ts';
import { openLedger } from '../../ledger/open.ts';
import { tinyPlace } from '../run/testing/tiny.ts';
import { keepingTexts } from './text-keeping.ts';

function event(index: number): NewEvent {
  const one = rollout(index);
  return { ...one, data: { ...one.data, prompt: { text: `prompt ${index}` }, completion: { text: `move ${index}` } } };
}

interface Step {
  readonly place: TextPlace;
  readonly from: number;
  readonly count: number;
}

it('existing texts stay where they are, new ones go where the setting says', async () => {
  const steps = fc.array(
    fc.record({ place: fc.constantFrom(...textPlaces), from: fc.nat(12), count: fc.integer({ min: 1, max: 8 }) }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all: readonly Step[]) => {
      const place = await tinyPlace();
      const blobs = await openBlobs(`folder:${place.folder}/blobs`, { create: true });
      const expected = new Map<string, TextPlace>();
      for (const { place: where, from, count } of all) {
        const ledger = keepingTexts(await openLedger(place.ledger.url), where, async () => blobs);
        const events = Array.from({ length: count }, (_, i) => event(from + i));
        const { existed } = await ledger.append(evidenceStream, events, { expect: 'any' });
        expect(existed).toEqual(events.map(({ id }) => expected.has(id)));
        for (const { id } of events) if (!expected.has(id)) expected.set(id, where);
        await ledger.close();
      }
      for (const { envelope } of await collect(place.ledger.read(evidenceStream))) {
        const { id, type, version, data } = envelope;
        expect(textsIn(type, version, data)).toHaveLength(expected.get(id) === 'inline' ? 2 : 0);
      }
      await blobs.close();
      await place.close();
    }),
    { numRuns: tries(15) },
  );
});

it('another event with the same id is refused, in both forms', async () => {
  const place = await tinyPlace();
  const blobs = await openBlobs(`folder:${place.folder}/blobs`, { create: true });
  await place.ledger.append(evidenceStream, [event(0)], { expect: 'any' });
  for (const where of textPlaces) {
    const ledger = keepingTexts(await openLedger(place.ledger.url), where, async () => blobs);
    const other = { ...event(0), actor: 'producer/another' };
    await expect(ledger.append(evidenceStream, [other], { expect: 'any' })).rejects.toMatchObject({
      name: 'DuplicateId',
    });
    await ledger.close();
  }
  await blobs.close();
  await place.close();
});
