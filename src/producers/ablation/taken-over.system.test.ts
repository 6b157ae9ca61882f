// A process that held an ablation and was suspended between its check and its append wakes up after another process
// took over: it writes nothing and names the holder, and the other process is not disturbed.
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { WrongRevision } from '../../ledger/errors.ts';
import { forgetHolder, lastClaim, RunHeld } from '../run/claim.ts';
import { heldUp, withAppend } from '../run/testing/held-up.ts';
import { tinySettings } from '../run/testing/tiny.ts';
import { ablationFacts } from './testing/ablation-facts.ts';
import { ablateTiny, designTiny, keptRuns, type RecordedRuns } from './testing/tiny-ablation.ts';

const run = 'whole0000000';
const asked = { runs: [run], depth: 'train', forms: ['v1'], arms: ['rules/v1', 'actual'], jobs: 1 } as const;
let kept: RecordedRuns;
let ablation: string;
let expected: readonly object[];

beforeAll(async () => {
  kept = await keptRuns({ run, settings: tinySettings({ budget: { 'agent-steps': 60 }, validation: 2, trained: 2 }) });
  const whole = await kept.copy();
  ablation = (await designTiny(whole, asked)).ablation;
  await ablateTiny(whole, asked);
  expected = await ablationFacts(whole.ledger, ablation);
  await whole.close();
}, 60_000);

/** Runs until just before it appends such an event, then sleeps for longer than its lease. */
async function suspended(type: string) {
  const at = await kept.copy();
  onTestFinished(() => at.close());
  const held = heldUp(at.ledger, type);
  const running = ablateTiny({ ...at, ledger: held.ledger }, asked);
  running.catch(() => {});
  await held.reached;
  forgetHolder((await lastClaim(at.ledger, ablation))?.holder ?? '');
  return { at, running, goOn: held.goOn };
}

it.each(['ArmProposed', 'ArmTrained', 'ArmEvaluated', 'AblationCompleted'])(
  'a suspended process writes no %s after another process took the ablation over',
  async (type) => {
    const { at, running, goOn } = await suspended(type);
    let outcome: unknown;
    // What the other process may do first, before it appends anything but its takeover.
    const ledger = withAppend(at.ledger, async (stream, events, options) => {
      const appended = await at.ledger.append(stream, events, options);
      if (events[0]?.type === 'RunTakenOver') outcome = await goOn();
      return appended;
    });
    await ablateTiny({ ...at, ledger }, asked);
    expect(outcome).toBeInstanceOf(WrongRevision);
    await expect(running).rejects.toBeInstanceOf(RunHeld);
    expect(await ablationFacts(at.ledger, ablation)).toEqual(expected);
    const events = await collect(at.ledger.read(streamOf.ablation(ablation)));
    expect(events.filter((event) => event.type === 'RunTakenOver').map(({ envelope }) => envelope.run)).toEqual([null]);
  },
  60_000,
);

it('a process suspended before AblationStarted may append it first, without affecting the result', async () => {
  const { at, running, goOn } = await suspended('AblationStarted');
  let outcome: unknown = 'not yet';
  const ledger = withAppend(at.ledger, async (stream, events, options) => {
    if (events[0]?.type === 'AblationStarted') outcome = await goOn();
    return await at.ledger.append(stream, events, options);
  });
  await ablateTiny({ ...at, ledger }, asked);
  expect(outcome).toBeNull();
  await expect(running).rejects.toBeInstanceOf(RunHeld);
  expect(await ablationFacts(at.ledger, ablation)).toEqual(expected);
}, 60_000);
