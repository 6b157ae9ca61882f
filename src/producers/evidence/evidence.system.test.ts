// Evidence on a real ledger is the same after any interruption.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { greedyPolicy } from '../../../testbed/scripted.ts';
import { judged } from '../../lab/evaluation/judged.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { Attempt } from './attempt.ts';
import { RolloutEvents } from './rollout-events.ts';

const place = { run: 'a-run', stage: 2, part: 0, attempt: 0 };
const count = 700;

async function newLedger(): Promise<Ledger> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-evidence-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return ledger;
}

/** Stops after this number of rollouts; returns the seal if it reaches the end. */
async function recorded(ledger: Ledger, until = Number.POSITIVE_INFINITY) {
  const lake = openLake();
  const policy = greedyPolicy();
  const tasks = lake.generate({ configuration: lake.start, split: 'train', count, seed: 'tasks' });
  const provenance = {
    run: place.run,
    stage: place.stage,
    environment: 'lake',
    split: 'train',
    policy,
    actor: 'producer/rollouts',
    now: () => new Date().toISOString(),
  } as const;
  const attempt = new Attempt(ledger, place);
  const events = new RolloutEvents(provenance, 0);
  let rollouts = 0;
  for await (const _ of attempt.record(judged(lake, policy.plan({ tasks, seed: 'plans' })), events)) {
    rollouts += 1;
    if (rollouts === until) return null;
  }
  return await attempt.seal();
}

async function eventsOf(ledger: Ledger): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const events of ledger.read('evidence-a-run-2-0-0')) all.push(...events);
  return all;
}

it('interrupted and resumed evidence equals uninterrupted evidence', async () => {
  const [whole, stopped] = [await newLedger(), await newLedger()];
  const seal = await recorded(whole);
  for (const until of [1, 420, 650]) expect(await recorded(stopped, until)).toBe(null);
  const again = await recorded(stopped);
  const lasting = ({ envelope }: StoredEvent): object => ({ ...envelope, at: null });
  expect((await eventsOf(stopped)).map(lasting)).toEqual((await eventsOf(whole)).map(lasting));
  expect(again).toMatchObject([{ count: seal?.[0]?.count }]);
});
