// The rollouts behind a stage's summaries on a real ledger: those in its seal, of the requested split.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { rolloutsIn } from './evidence-sums.ts';
import type { ShownSplit } from './summary.ts';

const splits = ['probe', 'train', 'probe-holdout', 'test', 'validation'] as const;

async function newLedger(): Promise<Ledger> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-summaries-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return ledger;
}

const idOf = (name: string): string => `${sha256(name).slice(0, 8)}-0000-8000-8000-000000000000`;

/** A failed rollout of each split, each followed by its failure. */
function eventsOf(attempt: number): NewEvent[] {
  return splits.flatMap((split) => {
    const rollout = idOf(`rollout ${split} ${attempt}`);
    const said = { environment: 'lake', split, family: '8', policy: 'neural' };
    const written = { at: '2030-01-01T00:00:00Z', actor: 'producer/test', run: 'a-run', stage: 1, causes: [] };
    return [
      {
        ...written,
        id: rollout,
        type: 'RolloutRecorded',
        version: versionOf('RolloutRecorded'),
        data: { ...said, outcome: 'hole', success: false, task: { id: `${split} of attempt ${attempt}` } },
      },
      {
        ...written,
        id: idOf(`failure ${split} ${attempt}`),
        type: 'FailureRecorded',
        version: versionOf('FailureRecorded'),
        data: { ...said, rollout, failures: [{ class: 'hole', step: 3 }] },
      },
    ];
  });
}

const stream = (attempt: number): string => `evidence-a-run-1-0-${attempt}`;

async function seenOf(ledger: Ledger, split: ShownSplit, attempts: readonly { stream: string; count: number }[]) {
  const sealed = { attempts: attempts.map((one) => ({ ...one, root: '0'.repeat(64) })) };
  const seen: (string | undefined)[] = [];
  for await (const { data, failure, failureClass, family } of rolloutsIn({
    ledger,
    sealed,
    descriptor,
    splits: new Set([split]),
  })) {
    expect(failure?.id).toBe(idOf(`failure ${split} ${data.task?.id?.at(-1)}`));
    expect([failureClass, family]).toEqual(['hole', '8']);
    seen.push(data.task?.id);
  }
  return seen;
}

it('a summary reads only rollouts of its split, in sealed attempts, up to the sealed count', async () => {
  const ledger = await newLedger();
  for (const attempt of [0, 1]) await ledger.append(stream(attempt), eventsOf(attempt), { expect: 'any' });
  const whole = [{ stream: stream(1), count: 10 }];
  expect(await seenOf(ledger, 'probe', whole)).toEqual(['probe of attempt 1']);
  expect(await seenOf(ledger, 'train', whole)).toEqual(['train of attempt 1']);
  expect(await seenOf(ledger, 'train', [{ stream: stream(1), count: 2 }])).toEqual([]);
  expect(await seenOf(ledger, 'probe', [{ stream: stream(0), count: 10 }, ...whole])).toEqual([
    'probe of attempt 0',
    'probe of attempt 1',
  ]);
  expect(await seenOf(ledger, 'probe', [])).toEqual([]);
});

it('a summary ignores evidence of trainings and evaluations', async () => {
  const ledger = await newLedger();
  const apart = ['training', 'validation', 'probe_holdout', 'agents_3'].map((part) => `evidence-a-run-1-${part}-0`);
  for (const [i, one] of [stream(0), ...apart].entries()) await ledger.append(one, eventsOf(i), { expect: 'any' });
  const all = [stream(0), ...apart].map((one) => ({ stream: one, count: 10 }));
  for (const split of ['probe', 'train'] as const) {
    expect(await seenOf(ledger, split, all)).toEqual([`${split} of attempt 0`]);
  }
});

it('events that a store delivers twice are counted once', async () => {
  const ledger = await newLedger();
  await ledger.append(stream(0), eventsOf(0), { expect: 'any' });
  const twice: Ledger = {
    ...ledger,
    async *read(name, options) {
      for await (const events of ledger.read(name, options)) {
        yield events.slice(0, 6);
        yield events;
      }
    },
  };
  expect(await seenOf(twice, 'probe', [{ stream: stream(0), count: 10 }])).toEqual(['probe of attempt 0']);
});

it('sealed evidence that is missing is an error', async () => {
  const ledger = await newLedger();
  await ledger.append(stream(0), eventsOf(0), { expect: 'any' });
  await expect(seenOf(ledger, 'probe', [{ stream: stream(0), count: 11 }])).rejects.toThrow(EvidenceMissing);
  await expect(seenOf(ledger, 'probe', [{ stream: stream(7), count: 1 }])).rejects.toThrow('has no event 0');
});
