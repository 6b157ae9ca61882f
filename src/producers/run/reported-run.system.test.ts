// Whole runs on a ledger with a separate evidence store: for any size of attempts they have the same results as on a
// single store, and can be recomputed.
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { verifyLedger } from '../../ledger/verify/verify.ts';
import { usualLimits } from '../evidence/reported.ts';
import { again } from '../recompute/testing/again.ts';
import { type Counted, countedOf } from './testing/counted.ts';
import { runTiny, splitPlace, type TinyPlace, tinyPlace, tinySettings } from './testing/tiny.ts';

const run = 'tiny00000000';
const settings = tinySettings({ record: 'all' });
const limits = { ...usualLimits, rollouts: 20 };
let expected: Counted;

beforeAll(async () => {
  const whole = await tinyPlace();
  await runTiny(whole, { run, settings });
  expected = await countedOf(whole.ledger, run);
  await whole.close();
}, 60_000);

async function place(): Promise<TinyPlace> {
  const made = await splitPlace();
  onTestFinished(() => made.close());
  return made;
}

async function workTypes(ledger: Ledger): Promise<readonly string[]> {
  return (await collect(ledger.read(streamOf.work(run)))).map(({ type }) => type);
}

/** The number of sealed attempts, by stage and part. */
async function sealedParts(ledger: Ledger): Promise<Readonly<Record<string, number>>> {
  const parts: Record<string, number> = {};
  for (const { reading } of await collect(ledger.read(streamOf.run(run)))) {
    if (!reading.known || reading.type !== 'EvidenceSealed') continue;
    for (const { stream } of reading.data.attempts) {
      const name = parseStream(stream);
      if (name?.category !== 'evidence') continue;
      const key = `${name.stage} ${name.part}`;
      parts[key] = (parts[key] ?? 0) + 1;
    }
  }
  return parts;
}

describe('a run with reported evidence', () => {
  it('has the same results as on one store, in many attempts, and can be recomputed', async () => {
    const { folder, ledger } = await place();
    await runTiny({ folder, ledger }, { run, settings, limits });
    expect(await countedOf(ledger, run)).toEqual(expected);
    const parts = await sealedParts(ledger);
    expect(Object.keys(parts).toSorted()).toEqual(
      ['1', '2'].flatMap((stage) => ['0', 'probe_holdout', 'training', 'validation'].map((part) => `${stage} ${part}`)),
    );
    expect(Math.min(...['1 0', '2 training'].map((part) => parts[part] ?? 0))).toBeGreaterThan(1);
    expect((await workTypes(ledger)).filter((type) => type === 'AttemptFinished')).toHaveLength(
      Object.values(parts).reduce((sum, attempts) => sum + attempts, 0),
    );
    const { findings } = await again(ledger);
    expect(findings.kept).toEqual([]);
    const blobs = `folder:${join(folder, 'blobs')}`;
    const { faults, findings: notices } = await verifyLedger(ledger.url, { blobs, run: null, head: null });
    expect({ faults, notices }).toEqual({ faults: 0, notices: [] });
  }, 60_000);

  it('in shards has the same results', async () => {
    const { folder, ledger } = await place();
    await runTiny({ folder, ledger }, { run, settings: { ...settings, shards: 3 }, limits });
    expect(await countedOf(ledger, run)).toEqual(expected);
    expect((await again(ledger)).findings.kept).toEqual([]);
  }, 60_000);
});

it('reports nothing on one store, and every part has one attempt', async () => {
  const { folder, ledger, close } = await tinyPlace();
  onTestFinished(close);
  await runTiny({ folder, ledger }, { run, settings: { ...settings, shards: 2 }, limits });
  expect(await workTypes(ledger)).not.toContain('AttemptFinished');
  const parts = await sealedParts(ledger);
  expect(new Set(Object.values(parts))).toEqual(new Set([1]));
}, 60_000);
