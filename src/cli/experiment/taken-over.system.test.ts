// A run that a second process took over from one that died: every command reads it as a run like any other.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { openLedger } from '../../ledger/open.ts';
import { Claim, forgetHolder } from '../../producers/run/claim.ts';
import { runTiny, type TinyPlace, tinyPlace } from '../../producers/run/testing/tiny.ts';
import { inFolder, type Ran } from '../testing/harness.ts';

const run = 'tiny00000000';
let places: { readonly undisturbed: TinyPlace; readonly takenOver: TinyPlace };

beforeAll(async () => {
  places = { undisturbed: await tinyPlace(), takenOver: await tinyPlace() };
  const { undisturbed, takenOver } = places;
  await runTiny(undisturbed, { run });
  const { ledger } = takenOver;
  for (const step of ['gather', 'propose'] as const) {
    await runTiny(takenOver, { run, until: ({ do: next }) => next === step });
    const died = await Claim.take({
      ...{ ledger, run, stream: streamOf.run(run), actor: 'producer/run', leaseSeconds: 60 },
    });
    forgetHolder(died.holder);
  }
  await runTiny(takenOver, { run });
  for (const { folder } of [undisturbed, takenOver]) {
    renameSync(join(folder, 'blobs'), join(folder, 'ledger.blobs'));
  }
}, 60_000);
afterAll(async () => {
  await places.undisturbed.close();
  await places.takenOver.close();
});

async function both(...words: readonly string[]): Promise<{ undisturbed: Ran; takenOver: Ran }> {
  const at = (folder: string): Promise<Ran> => inFolder(folder)(...words, '--ledger', 'sqlite:ledger.db');
  return {
    undisturbed: await at(places.undisturbed.folder),
    takenOver: await at(places.takenOver.folder),
  };
}

const time = /[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]+Z?/g;

it.each([
  ['show', 'tiny'],
  ['why', 'tiny'],
  ['runs'],
  ['sql', 'SELECT run, state, done, valid FROM runs'],
  ['sql', 'SELECT stage, engineer, changes FROM decisions ORDER BY stage'],
])(
  '%s %s prints the same for a run that another process took over',
  async (...words) => {
    const { undisturbed, takenOver } = await both(...words);
    expect(takenOver.stdout.replaceAll(time, '')).toBe(undisturbed.stdout.replaceAll(time, ''));
    expect(takenOver).toMatchObject({ code: 0 });
  },
  60_000,
);

it('a run that another process took over verifies, recomputes and travels as a bundle', async () => {
  const { undisturbed, takenOver } = await both('verify', '--recompute', '--tables', '--json');
  expect(takenOver.code).toBe(undisturbed.code);
  const [one, again] = [undisturbed, takenOver].map(({ stdout }) => {
    const { status, recomputed } = JSON.parse(stdout);
    return { status, recomputed: { ...recomputed, seconds: 0, rolloutsPerSecond: 0 } };
  });
  expect(again).toEqual(one);
  const { takenOver: exported } = await both('export', 'bundle', 'tiny', '--output', 'tiny.icecore.tar.zst');
  expect(exported).toMatchObject({ code: 0 });
  const { folder } = places.takenOver;
  const imported = await inFolder(folder)('import', 'bundle', 'tiny.icecore.tar.zst', '--ledger', 'sqlite:other.db');
  expect(imported).toMatchObject({ code: 0 });
  const other = await openLedger(`sqlite:${join(folder, 'other.db')}`);
  expect(await collect(other.readAll({ types: ['RunTakenOver'] }))).toHaveLength(2);
  await other.close();
}, 60_000);
