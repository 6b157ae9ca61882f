// Forks with forged ancestors: reading the history of a run terminates or is refused.
import { expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { readHistory, readRun } from '../../producers/history/reading.ts';
import type { Parent } from '../../producers/history/run-history.ts';
import { type TinyPlace, tinyPlace } from '../../producers/run/testing/tiny.ts';

const digest = 'a'.repeat(64);

async function placeWith(parents: readonly (readonly [run: string, ...parents: string[]])[]): Promise<TinyPlace> {
  const place = await tinyPlace();
  onTestFinished(place.close);
  for (const [run, ...of] of parents) {
    const events = of.map((one) => {
      const parent: Parent = { run: one, stage: 1, revision: of.length - 1, digest };
      const at = '2026-01-01T00:00:00.000Z';
      const event = { id: crypto.randomUUID(), type: 'RunStarted', version: 1, at, actor: 'producer/run', run };
      return { ...event, stage: null, causes: [], data: { name: run, environment: { name: 'lake' }, parent } };
    });
    await place.ledger.append(streamOf.run(run), events, { expect: 'none' });
  }
  return place;
}

it.each([
  ['of itself', [['first0000000', 'first0000000']]],
  [
    'of its own fork',
    [
      ['first0000000', 'second000000'],
      ['second000000', 'first0000000'],
    ],
  ],
] as const)('the history of a run that claims to be a fork %s is refused', async (_, parents) => {
  const { ledger } = await placeWith(parents);
  await expect(readHistory(ledger, 'first0000000')).rejects.toThrow('which in turn shares its history');
  expect((await readRun(ledger, { run: 'first0000000', name: 'first' })).parent).toMatchObject({ stage: 1 });
});

it('repeated start events do not multiply the ancestors that are read', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `run${String(i).padStart(9, '0')}`);
  const parents = names.map((name, i) => [name, ...Array(2).fill(names[i + 1] ?? 'nowhere00000')] as const);
  const { ledger } = await placeWith(parents as readonly (readonly [string, ...string[]])[]);
  expect((await readRun(ledger, { run: names[0] ?? '', name: 'first' })).parent).toMatchObject({ run: names[1] });
});
