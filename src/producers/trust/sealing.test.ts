import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { rolloutIn, run, runStream, seal } from '../../ledger/contract/samples.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { sealBeginning } from '../../ledger/seal/attempt.ts';
import { sealStage } from './sealing.ts';

const [training, validation, probe] = ['training', 'validation', 'probe_holdout'].map((part) =>
  streamOf.evidence(run, 2, part, 0),
) as [string, string, string];

const sealing = { run, stage: 2, actor: 'human/ada', chosen: new Map<number, number>() };

describe('a stage that a run sealed', () => {
  let ledger: Ledger;

  beforeEach(async () => {
    ledger = await openLedger(`sqlite:${join(mkdtempSync(join(tmpdir(), 'icecore-sealing-')), 'ledger.db')}`, {
      create: true,
    });
    for (const stream of [training, validation, probe]) await record(stream, 0, 3);
    // A run lists its parts in the order in which it records them.
    const attempts = [training, validation, probe].map((stream) => sealBeginning(ledger, stream, 3));
    await ledger.append(runStream, [seal(await Promise.all(attempts))], { expect: 'any' });
  });
  afterEach(() => ledger.close());

  async function record(stream: string, from: number, count: number): Promise<void> {
    const events = Array.from({ length: count }, (_, i) => rolloutIn(stream, from + i));
    await ledger.append(stream, events, { expect: 'any' });
  }

  it('is already sealed, whatever the order of the attempts', async () => {
    const again = await sealStage(ledger, sealing);
    expect(again).toMatchObject({ isNew: false, stream: runStream, revision: 0 });
    expect(again.attempts.map(({ stream }) => stream)).toEqual([training, validation, probe]);
  });

  it('is not sealed again with other evidence: the error names who sealed it and what is new', async () => {
    await record(probe, 3, 2);
    const other = streamOf.evidence(run, 2, 0, 0);
    await record(other, 0, 1);
    await expect(sealStage(ledger, sealing)).rejects.toMatchObject({
      message:
        `producer/run sealed stage 2 of run ${run} already, in ${runStream}@0: 9 events of 3 attempts. ` +
        `${other} is not in the seal (and 1 more difference)`,
      facts: {
        changes: [`${other} is not in the seal`, `${probe} has 2 events after the seal`],
      },
      remedy: expect.stringContaining('A stage is sealed once'),
    });
  });
});
