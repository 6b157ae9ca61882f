// Commands that print figures of a run report missing rollouts: because of its settings, because an old run has no such
// setting, or because the trainer printed none.
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { getOrCreate } from '../../base/get-or-create.ts';
import { again, recordBeside, recordedRun, run } from '../../producers/recompute/testing/again.ts';
import { forge } from '../../producers/recompute/testing/forging.ts';
import { type TinyPlace, tinyPlace } from '../../producers/run/testing/tiny.ts';
import { inFolder } from '../testing/harness.ts';

const small = { budget: { 'agent-steps': 60 }, validation: 4, trained: 4 } as const;

type Record = 'all' | 'evaluation' | 'sample';

const made = new Map<Record, Promise<TinyPlace>>();
afterAll(async () => {
  for (const place of made.values()) await (await place).close();
});

/** A run and another one that records everything. Created once. */
function recorded(record: Record): Promise<TinyPlace> {
  return getOrCreate(made, record, async () => {
    const place = await recordedRun({ ...small, record });
    await recordBeside(place, '0ther0000000', { ...small, name: 'other', seed: 2 });
    return place;
  });
}

async function said(place: Pick<TinyPlace, 'ledger' | 'folder'>): Promise<readonly string[]> {
  const env = { ICECORE_LEDGER: place.ledger.url, ICECORE_BLOBS: `folder:${join(place.folder, 'blobs')}` };
  const ablate = ['ablate', 'tiny', '--engineer', 'rules', '--context', 'stats', '--baselines', 'fixed'];
  const said: string[] = [];
  for (const argv of [['show', 'tiny'], ['verify'], ['compare', 'tiny', 'other'], ablate]) {
    const { stdout, stderr } = await inFolder(place.folder, { env })(...argv);
    const words = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
    said.push(
      /(not fully recorded: (?:only a sample of training rollouts(?:, no evaluation rollouts)?|no training rollouts of stages? [\d, and]*\d))/.exec(
        words,
      )?.[1] ?? 'nothing',
    );
  }
  return said;
}

it.each([
  ['sample', 'not fully recorded: only a sample of training rollouts, no evaluation rollouts'],
  ['evaluation', 'not fully recorded: only a sample of training rollouts'],
  ['all', 'nothing'],
] as const)(
  'show, verify, compare and ablate report which rollouts of a run are missing: record %s',
  async (record, words) => {
    const place = await recorded(record);
    expect(await said(place)).toEqual([words, words, words, words]);
  },
  60_000,
);

it('show, verify, compare and ablate report missing rollouts of a run without the setting, and of a trainer that printed none', async () => {
  const place = await recorded('all');
  const copied = async (forged: Parameters<typeof forge>[2]): Promise<Pick<TinyPlace, 'ledger' | 'folder'>> => {
    const copy = await tinyPlace();
    onTestFinished(() => copy.close());
    await forge(place.ledger, copy.ledger, forged);
    return { ledger: copy.ledger, folder: place.folder };
  };
  const unsaid = await copied(({ type, stream }, data) => {
    if (type !== 'RunStarted' || stream !== `run-${run}`) return data;
    const { record: _, ...options } = data.options;
    return { ...data, options };
  });
  const sample = 'not fully recorded: only a sample of training rollouts, no evaluation rollouts';
  expect(await said(unsaid)).toEqual([sample, sample, sample, sample]);
  const silent = await copied(({ type, stream, envelope }, data) =>
    type === 'TrainingRecorded' && stream === `run-${run}`
      ? { ...data, causes: envelope.causes.filter((cause) => 'event' in cause) }
      : data,
  );
  const none = 'not fully recorded: no training rollouts of stages 1, 2';
  expect(await said(silent)).toEqual([none, none, none, none]);
  expect((await again(silent.ledger)).unsupported).toBeGreaterThan(0);
}, 60_000);
