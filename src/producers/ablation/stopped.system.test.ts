// Ablations that are interrupted in every possible way and resumed have the same results.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isThorough } from '../../../schemas/testing/tries.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readHistory } from '../history/reading.ts';
import { type TinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { ablationFacts } from './testing/ablation-facts.ts';
import { ablateTiny, keptRuns, type RecordedRuns, type TinyAblation } from './testing/tiny-ablation.ts';
import type { AblationProgress } from './working.ts';

const run = 'whole0000000';
const suite = 'agents-2-wait-25-of-1';
const common = { runs: [run], forms: ['v1'] } as const;
const goingOn = { ...common, depth: 'run', arms: ['rules/v1', 'actual'] } as const;
const trained = { ...common, depth: 'train', stages: [2], arms: ['rules/v1', 'actual', 'fixed'] } as const;
let kept: RecordedRuns;
/** Without an interruption. */
let whole: TinyPlace;

beforeAll(async () => {
  const small = { budget: { 'agent-steps': 60 }, validation: 2, trained: 2, suites: [suite] };
  kept = await keptRuns({ run, settings: tinySettings({ stages: 3, ...small }) });
  whole = await kept.copy();
}, 60_000);
afterAll(async () => {
  await whole.close();
});

async function place(): Promise<TinyPlace> {
  const made = await kept.copy();
  onTestFinished(() => made.close());
  return made;
}

/** The ledger if the disk fails after this number of events of the ablation. */
function failingAfter(ledger: Ledger, events: number): Ledger {
  let left = events;
  const append: Ledger['append'] = async (stream, ...rest) => {
    if (stream.startsWith('ablation-') && left-- <= 0) throw new Error('the disk is full');
    return await ledger.append(stream, ...rest);
  };
  return new Proxy(ledger, {
    get: (target, name: keyof Ledger) => {
      const member = name === 'append' ? append : target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Repeats until it completes; returns the number of failures. */
async function untilOver(at: TinyPlace, events: number, asked: TinyAblation): Promise<number> {
  for (let times = 0; ; times++) {
    const failing = { folder: at.folder, ledger: failingAfter(at.ledger, events) };
    const isOver = await ablateTiny(failing, asked).then(
      () => true,
      (fault: Error) => {
        expect(fault.message).toBe('the disk is full');
        return false;
      },
    );
    if (isOver) return times;
  }
}

describe('an ablation', () => {
  it('at depth run makes a run for each arm that shares the history, and reports its results', async () => {
    const { design, record } = await ablateTiny(whole, goingOn);
    const { stages } = await readHistory(whole.ledger, run);
    expect(design.arms.map(({ arm }) => arm)).toEqual(goingOn.arms);
    for (const { arm } of design.arms) {
      const decided = [...record.proposals.values()].filter(({ data }) => data.arm === arm);
      expect(decided.map(({ place: { stage } }) => stage)).toEqual([1, 2]);
      const armRun = decided[0]?.data.armRun ?? null;
      const evaluated = [2, 3].flatMap((stage) => record.evaluations.get(JSON.stringify([arm, 'seed 1', stage])) ?? []);
      expect(evaluated.map(({ data }) => [data.suite.name, data.armRun ?? null])).toEqual(
        ['validation', suite, 'validation', suite].map((name) => [name, armRun]),
      );
      expect(armRun === null).toBe(arm === 'actual');
      if (armRun === null) continue;
      const { started, shares, stages: own } = await readHistory(whole.ledger, armRun);
      expect(started?.data.arm).toEqual({ ablation: design.ablation, arm });
      expect(shares.map(({ run: of, stage }) => [of, stage])).toEqual([[run, 1]]);
      expect(own[0]?.completed?.id).toBe(stages[0]?.completed?.id);
      expect(own.map(({ adopted }) => adopted?.data.configuration.digest).slice(0, 2)).toEqual(
        decided.map(({ data }) => data.configuration.digest),
      );
    }
  }, 60_000);

  it.each(isThorough ? [goingOn, trained] : [trained])(
    'failing after each of its events and resumed has the same result: $depth',
    async (asked) => {
      const broken = await place();
      const { design } = await ablateTiny(whole, asked);
      const expected = await ablationFacts(whole.ledger, design.ablation);
      const begun: string[] = [];
      const tell = async (progress: AblationProgress): Promise<void> => {
        if (progress.kind === 'begun') begun.push(`${progress.doing} ${progress.task.arm.arm}`);
        if (progress.kind === 'repeating') begun.push(`train again ${progress.stage}`);
      };
      expect(await untilOver(broken, 1, { ...asked, jobs: 1, tell })).toBe(expected.length - 1);
      // Only failed writes are repeated.
      for (const [what, times] of Map.groupBy(begun, (one) => one)) {
        if (what.startsWith('train ')) expect([what, times.length]).toEqual([what, 2]);
      }
      expect(await ablationFacts(broken.ledger, design.ablation)).toEqual(expected);
    },
    60_000,
  );

  it('interrupted at each of its steps and resumed has the same result', async () => {
    const [at, stopped] = [await place(), await place()];
    const { design } = await ablateTiny(at, { ...common, jobs: 1 });
    for (let [isOver, times] = [false, 0]; !isOver; times++) {
      const stopping = new AbortController();
      let calls = 0;
      const stopOnce = async (): Promise<void> => {
        if (calls++ === 2 * times) stopping.abort('enough');
      };
      const jobs = (times % 2) + 1;
      isOver = await ablateTiny(stopped, { ...common, jobs, signal: stopping.signal, tell: stopOnce }).then(
        () => true,
        (reason: unknown) => {
          expect(reason).toBe('enough');
          return false;
        },
      );
      if (times > 60) expect.fail('it never comes to its end');
    }
    expect(await ablationFacts(stopped.ledger, design.ablation)).toEqual(
      await ablationFacts(at.ledger, design.ablation),
    );
  }, 60_000);

  it('that is complete is read again, without writing anything', async () => {
    const at = await place();
    const first = await ablateTiny(at, common);
    const before = (await ends(at)).toSorted();
    const again = await ablateTiny(at, { ...common, tell: async () => expect.fail('something is done') });
    expect(again.record.completed).toEqual(first.record.completed);
    expect((await ends(at)).toSorted()).toEqual(before);
  });
});

async function ends({ ledger }: TinyPlace): Promise<string[]> {
  const all: string[] = [];
  for await (const some of ledger.streams('')) all.push(...some.map((end) => JSON.stringify(end)));
  return all;
}
