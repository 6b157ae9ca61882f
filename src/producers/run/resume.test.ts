// Runs that are interrupted in every possible way and resumed have the same results.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { runFacts } from './testing/run-facts.ts';
import { runTiny, type TinyPlace, tinyPlace } from './testing/tiny.ts';

const run = 'tiny00000000';
let unstopped: TinyPlace;
let expected: readonly object[];

beforeAll(async () => {
  unstopped = await tinyPlace();
  await runTiny(unstopped, { run });
  expected = await runFacts(unstopped.ledger, run);
}, 60_000);

afterAll(async () => {
  await unstopped.close();
});

async function place(): Promise<TinyPlace> {
  const made = await tinyPlace();
  onTestFinished(() => made.close());
  return made;
}

describe('a run', () => {
  it('is reproducible', async () => {
    const again = await place();
    const { ended, history } = await runTiny(again, { run });
    expect(ended).toBe('completed');
    expect(history.stages).toHaveLength(2);
    expect(await runFacts(again.ledger, run)).toEqual(expected);
  });

  it('interrupted after each of its decisions and resumed has the same results', async () => {
    const stopped = await place();
    for (let isOver = false; !isOver; ) {
      const stopping = new AbortController();
      const orchestrated = runTiny(stopped, {
        run,
        signal: stopping.signal,
        tell: async ({ kind }) => {
          if (kind === 'decided') stopping.abort('enough');
        },
      });
      isOver = await orchestrated.then(
        () => true,
        (reason: unknown) => {
          expect(reason).toBe('enough');
          return false;
        },
      );
    }
    expect(await runFacts(stopped.ledger, run)).toEqual(expected);
  }, 60_000);

  it('that is complete does not change', async () => {
    const before = await runFacts(unstopped.ledger, run);
    const { ended } = await runTiny(unstopped, { run });
    expect(ended).toBe('completed');
    expect(await runFacts(unstopped.ledger, run)).toEqual(before);
  });

  it('records what interrupted it, and can be resumed', async () => {
    const broken = await place();
    const breaking = runTiny(broken, {
      run,
      tell: async (progress) => {
        if (progress.kind === 'training') throw new Error('the disk is on fire');
      },
    });
    await expect(breaking).rejects.toThrow('the disk is on fire');
    const events = await collect(broken.ledger.read(streamOf.run(run)));
    expect(events.at(-1)?.reading).toMatchObject({
      type: 'RunFailed',
      data: { reason: 'Error', message: 'the disk is on fire', during: 'train', resumable: true },
    });
    const { ended } = await runTiny(broken, { run });
    expect(ended).toBe('completed');
  });
});
