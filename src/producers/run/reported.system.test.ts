// Runs on a ledger with a separate evidence store, interrupted, broken off and killed: they have the same results as on
// a single store, and can be recomputed.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AttemptBroken } from '../../ledger/errors.ts';
import { usualLimits } from '../evidence/reported.ts';
import { again } from '../recompute/testing/again.ts';
import { type Counted, countedOf } from './testing/counted.ts';
import { withAppend } from './testing/held-up.ts';
import { killRuns } from './testing/killed.ts';
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

describe('a run with reported evidence', () => {
  it('interrupted while recording and resumed has the same results', async () => {
    const { folder, ledger } = await place();
    let stops = 0;
    for (let isOver = false; !isOver; stops++) {
      const stopping = new AbortController();
      let appends = 0;
      const stopped = withAppend(ledger, async (stream, events, options) => {
        if (stream.startsWith('evidence-') && appends++ === 5 + (stops % 5)) stopping.abort('enough');
        return await ledger.append(stream, events, options);
      });
      const { signal } = stopping;
      isOver = await runTiny({ folder, ledger: stopped }, { run, settings, limits, signal }).then(
        () => true,
        (reason: unknown) => {
          expect(reason).toBe('enough');
          return false;
        },
      );
      if (stops > 200) expect.fail('it never comes to its end');
    }
    expect(stops).toBeGreaterThan(5);
    expect(await countedOf(ledger, run)).toEqual(expected);
    expect((await again(ledger)).findings.kept).toEqual([]);
  }, 120_000);

  it('whose store sometimes breaks attempts off has the same results', async () => {
    const { folder, ledger } = await place();
    let appends = 0;
    const breaking = withAppend(ledger, async (stream, events, options) => {
      const isBroken = stream.startsWith('evidence-') && appends++ % 7 === 3;
      if (isBroken && appends % 2 === 0) throw new AttemptBroken(stream, 'a send was rejected', 60);
      const appended = await ledger.append(stream, events, options);
      if (isBroken) throw new AttemptBroken(stream, 'a send was rejected', 60);
      return appended;
    });
    await runTiny({ folder, ledger: breaking }, { run, settings, limits });
    expect(await countedOf(ledger, run)).toEqual(expected);
    expect((await again(ledger)).findings.kept).toEqual([]);
  }, 60_000);

  it('killed at any moment and resumed has the same results', async () => {
    const { finished, faults } = await killRuns(
      4,
      1,
      (process) => ((process * 7) % 10) / 10,
      undefined,
      () => splitPlace(),
    );
    expect(faults).toEqual([]);
    expect(finished).toBeGreaterThan(0);
  }, 120_000);
});
