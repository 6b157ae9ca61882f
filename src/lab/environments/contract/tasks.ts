// The contract: tasks for a configuration, a split, a count and a seed.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { checkEvent, type TypeName, versionOf } from '../../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import { describeIssue } from '../../../../schemas/errors.ts';
import { tries } from '../../../../schemas/testing/tries.ts';
import { adjusted } from '../configuration.ts';
import {
  digestOf,
  type Environment,
  type GenerateRequest,
  isSpoilt,
  type Judged,
  type ProbeRequest,
  type Rollout,
  type RolloutRequest,
  type Shortage,
  type Split,
  type Task,
  type Tasks,
  type Try,
  taskDigest,
  UnknownSuite,
  type Verdict,
} from '../environment.ts';
import { withKnob } from '../knobs.ts';
import { failureClassOf, familyOf, isFailed } from '../rollout-reading.ts';
import { failureData, rolloutData } from './recorded.ts';

export function generating(bench: Bench): void {
  describe('generating', () => {
    const request = (change: Partial<GenerateRequest> = {}): GenerateRequest => ({
      configuration: bench.environment().start,
      split: 'train',
      count: bench.many,
      seed: 'first',
      ...change,
    });

    it('the same request gives the same tasks in the same order, here and in another environment', async () => {
      const once = await collected(bench.environment().generate(request()));
      const again = await collected(bench.environment().generate(request()));
      const elsewhere = await collected((await bench.another()).generate(request()));
      expect(again).toEqual(once);
      expect(elsewhere).toEqual(once);
    });

    it('another seed gives other tasks, and another split', async () => {
      const digests = async (change: Partial<GenerateRequest>): Promise<string[]> =>
        (await collected(bench.environment().generate(request(change)))).tasks.map(({ instance }) =>
          digestOf(instance),
        );
      const first = await digests({});
      expect(await digests({ seed: 'second' })).not.toEqual(first);
      expect(await digests({ split: 'validation' })).not.toEqual(first);
    });

    it('there are as many as asked for, or shortages say of what there are fewer', async () => {
      for (const count of [0, 1, bench.many]) {
        const { tasks, shortages } = await collected(bench.environment().generate(request({ count, split: 'test' })));
        expect(tasks.length + missingIn(shortages)).toBe(count);
        for (const { asked, achieved, says } of shortages) {
          expect(achieved).toBeLessThan(asked);
          expect(says).not.toBe('');
        }
      }
    });

    it('each task has a name of its own, a known family, and facts of a kind', async () => {
      const { descriptor } = bench.environment();
      const { tasks } = await collected(bench.environment().generate(request()));
      const families = descriptor.families.map(({ family }) => family);
      const known = descriptor.facts?.map(({ fact }) => fact);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
      for (const task of tasks) {
        expect(families).toContain(task.family);
        for (const value of Object.values(task.facts)) expect(typeof value).toMatch(/^(number|boolean)$/);
        if (known !== undefined) expect(known).toEqual(expect.arrayContaining(Object.keys(task.facts)));
      }
    });

    it('a digest is that of the task itself', async () => {
      const { tasks } = await collected(bench.environment().generate(request()));
      for (const { digest, instance } of tasks) expect(digest ?? digestOf(instance)).toBe(digestOf(instance));
    });

    it('tasks survive being written down', async () => {
      const { tasks } = await collected(bench.environment().generate(request()));
      expect(JSON.parse(JSON.stringify(tasks))).toEqual(tasks);
    });

    it('two generators read by turns do not disturb each other', async () => {
      const alone = await collected(bench.environment().generate(request()));
      const other = await collected(bench.environment().generate(request({ seed: 'second' })));
      const both = await byTurns(bench.environment(), request(), request({ seed: 'second' }));
      expect(both).toEqual([alone.tasks, other.tasks]);
    });
  });
}

async function byTurns(environment: Environment, ...requests: GenerateRequest[]): Promise<unknown[][]> {
  const running = requests.map((request) => ({ tasks: environment.generate(request), all: [] as unknown[] }));
  for (let open = running.length; open > 0; ) {
    open = running.length;
    for (const { tasks, all } of running) {
      const next = await tasks.next();
      if (next.done === true) open -= 1;
      else all.push(next.value);
    }
  }
  return running.map(({ all }) => all);
}

// The contract: pools laid out in cells, which are the probe pool and the suites.

export function probing(bench: Bench): void {
  if (bench.lacks?.includes('probe')) {
    it('a probe pool that is not offered is refused', async () => {
      const { start, probe } = bench.environment();
      const request = { configuration: start, split: 'probe', perCell: 1, seed: 'a' } as const;
      await expect(probe(request).next()).rejects.toMatchObject({ kind: 'unsupported' });
    });
  } else {
    describe('the probe pool', () => probePool(bench));
  }
  describe('suites', () => suites(bench));
}

function probePool(bench: Bench): void {
  const pool = (change: Partial<ProbeRequest> = {}): Promise<Collected> => {
    const { start, probe } = bench.environment();
    return collected(probe({ configuration: start, split: 'probe', perCell: 2, seed: 'a', ...change }));
  };

  it('has tasks of every family, as many of every cell, or says of which there are fewer', async () => {
    const { tasks, shortages } = await pool();
    const { families } = bench.environment().descriptor;
    expect(new Set(tasks.map(({ family }) => family))).toEqual(new Set(families.map(({ family }) => family)));
    const cells = Map.groupBy(tasks, cellOf);
    const short = new Map(shortages.map(({ cell, achieved }) => [canonicalJson(cell), achieved]));
    for (const [cell, of] of cells) expect([cell, of.length]).toEqual([cell, short.get(cell) ?? 2]);
    for (const [cell, achieved] of short) expect(cells.get(cell)?.length ?? 0).toBe(achieved);
  });

  it('is the same for the same seed, and another for another', async () => {
    const first = await pool();
    expect(await pool()).toEqual(first);
    expect((await pool({ seed: 'b' })).tasks).not.toEqual(first.tasks);
  });

  it('depends on no knob of a family', async () => {
    const { descriptor, start } = bench.environment();
    const hardest = descriptor.knobs
      .filter(({ family }) => family !== null)
      .reduce((all, knob) => withKnob(all, knob, knob.range.max), start);
    const { configuration } = adjusted(descriptor, hardest);
    expect(await pool({ configuration })).toEqual(await pool());
  });

  it('has no task twice', async () => {
    const { tasks } = await pool();
    expect(new Set(tasks.map(taskDigest)).size).toBe(tasks.length);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
  });
}

function suites(bench: Bench): void {
  it('have as many tasks as they say, different ones', async () => {
    for (const { name, tasks: count } of bench.environment().suites) {
      const { tasks, shortages } = await bench.suite(name);
      expect([name, tasks.length, shortages]).toEqual([name, count, []]);
      expect(new Set(tasks.map(taskDigest)).size).toBe(count);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(count);
    }
  });

  it('are always the same', async () => {
    const elsewhere = await bench.another();
    // Large ones take their time, and are made as the first is.
    for (const { name } of bench.environment().suites.slice(0, 2)) {
      expect((await collected(elsewhere.suite(name))).tasks).toEqual((await bench.suite(name)).tasks);
    }
  });

  it('are known by their names', async () => {
    await expect(bench.environment().suite('no such suite').next()).rejects.toThrow(UnknownSuite);
  });
}

function cellOf({ family, conditions }: Task): string {
  return canonicalJson(conditions === undefined ? { family } : { family, conditions });
}

// The contract: verdicts on answers.

export function judging(bench: Bench): void {
  describe('judging', () => {
    const someTasks = async (): Promise<readonly Task[]> => {
      const { generate, start } = bench.environment();
      return (await collected(generate({ configuration: start, split: 'train', count: 20, seed: 'judged' }))).tasks;
    };
    const someTries = async (): Promise<Try[]> =>
      (await someTasks()).flatMap((task) =>
        [bench.right(task), ...bench.wrong(task)].map((answer) => ({ task, answer })),
      );
    const judge = (tries: Iterable<Try>): Promise<Verdict[]> => listed(bench.environment().judge(tries));

    it('a right answer is a success, and a wrong one fails in at least one way', async () => {
      for (const task of await someTasks()) {
        const [right, ...wrong] = await judge(
          [bench.right(task), ...bench.wrong(task)].map((answer) => ({ task, answer })),
        );
        expect(judgedOf(right)).toMatchObject({ success: true, failures: [] });
        for (const verdict of wrong) {
          expect(judgedOf(verdict).success).toBe(false);
          expect(judgedOf(verdict).failures).not.toEqual([]);
        }
      }
    });

    it('speaks in the words of the descriptor', async () => {
      const { outcomes, failureClasses, metrics } = bench.environment().descriptor;
      const known = (words: readonly string[] | undefined, used: Iterable<string>): void => {
        if (words !== undefined) expect(words).toEqual(expect.arrayContaining([...new Set(used)]));
      };
      const verdicts = (await judge(await someTries())).map(judgedOf);
      known(
        outcomes?.map(({ outcome }) => outcome),
        verdicts.map(({ outcome }) => outcome),
      );
      known(
        failureClasses?.map((failure) => failure.class),
        verdicts.flatMap(({ failures }) => failures.map((one) => one.class)),
      );
      known(
        metrics?.map(({ metric }) => metric),
        verdicts.flatMap((verdict) => Object.keys(verdict.metrics)),
      );
    });

    it('what is judged becomes evidence, and reads from it as the verdict says', async () => {
      const { descriptor } = bench.environment();
      const tries = await someTries();
      const verdicts = await judge(tries);
      for (const [i, tried] of tries.entries())
        expect(evidenceIssues(descriptor, 'train', tried, verdicts[i] as Verdict)).toEqual([]);
    });

    it('what was spoilt is recorded, and not read as failed', async () => {
      const { descriptor } = bench.environment();
      const spoilt = { spoilt: { kind: 'timeout', message: 'the judge did not answer' } };
      for (const tried of await someTries()) expect(evidenceIssues(descriptor, 'train', tried, spoilt)).toEqual([]);
    });

    it('the same try has the same verdict, in the order of the tries, whichever they are among', async () => {
      const tries = await someTries();
      const verdicts = await judge(tries);
      expect(await judge([...tries].reverse())).toEqual([...verdicts].reverse());
      expect(await judge(tries.slice(0, 3))).toEqual(verdicts.slice(0, 3));
      expect(await judge([])).toEqual([]);
    });

    it('no answer is too strange to have a verdict', async () => {
      const { descriptor } = bench.environment();
      const [task] = await someTasks();
      const answers = fc.array(fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant(undefined)), {
        maxLength: 30,
      });
      await fc.assert(
        fc.asyncProperty(answers, async (answers) => {
          const tries = answers.map((answer) => ({ task: task as Task, answer }));
          const verdicts = (await judge(tries)).map(judgedOf);
          expect(verdicts.length).toBe(tries.length);
          for (const [i, tried] of tries.entries())
            expect(evidenceIssues(descriptor, 'train', tried, verdicts[i] as Verdict)).toEqual([]);
        }),
        { numRuns: tries(20) },
      );
    });

    it('tries are taken a bounded number ahead, and no more when nobody reads on', async () => {
      const [task] = await someTasks();
      let taken = 0;
      let left = false;
      async function* endless(): AsyncGenerator<Try, void, undefined> {
        try {
          for (;;) {
            taken += 1;
            yield { task: task as Task, answer: bench.right(task as Task) };
          }
        } finally {
          left = true;
        }
      }
      let read = 0;
      for await (const verdict of bench.environment().judge(endless())) {
        expect(judgedOf(verdict).success).toBe(true);
        read += 1;
        expect(taken - read).toBeLessThanOrEqual(1024);
        if (read === bench.many) break;
      }
      const afterwards = taken;
      expect(left).toBe(true);
      await judge([]);
      expect(taken).toBe(afterwards);
    });

    it('a source of tries that breaks breaks the judging, after what came before', async () => {
      const tries = (await someTries()).slice(0, 5);
      async function* breaking(): AsyncGenerator<Try, void, undefined> {
        yield* tries;
        throw new Error('the policy is gone');
      }
      const verdicts: Verdict[] = [];
      const reading = async (): Promise<void> => {
        for await (const verdict of bench.environment().judge(breaking())) verdicts.push(verdict);
      };
      await expect(reading()).rejects.toThrow('the policy is gone');
      expect(verdicts).toEqual(await judge(tries));
    });

    it('tries that come slowly are judged as they come', async () => {
      const [task] = await someTasks();
      const tried = { task: task as Task, answer: bench.right(task as Task) };
      const gate = Promise.withResolvers<void>();
      async function* slow(): AsyncGenerator<Try, void, undefined> {
        yield tried;
        await gate.promise;
        yield tried;
      }
      const verdicts = bench.environment().judge(slow());
      const first = await verdicts.next();
      gate.resolve();
      expect(await verdicts.next()).toEqual(first);
      expect((await verdicts.next()).done).toBe(true);
    });
  });
}

// The contract: rollouts of environments that let a policy play by themselves.

export function playing(bench: Bench): void {
  describe('letting a policy play', () => {
    const play = async (change: Partial<RolloutRequest> = {}): Promise<Rollout[] | undefined> => {
      const { generate, start, rollout } = bench.environment();
      if (rollout === undefined) return undefined;
      const { tasks } = await collected(generate({ configuration: start, split: 'train', count: 6, seed: 'played' }));
      return listed(rollout({ tasks, samples: 3, policy: { name: 'any' }, seed: 'a', ...change }));
    };

    it('every task is tried as often as asked for, in order, and becomes evidence', async () => {
      const rollouts = await play();
      if (rollouts === undefined) return;
      expect(rollouts.map(({ sample }) => sample)).toEqual(Array.from({ length: 18 }, (_, i) => i % 3));
      expect(new Set(rollouts.map(({ task }) => task.id)).size).toBe(6);
      const { descriptor } = bench.environment();
      for (const rollout of rollouts) expect(evidenceIssues(descriptor, 'train', rollout, rollout.verdict)).toEqual([]);
    });

    it('the same seed gives the same rollouts', async () => {
      expect(await play()).toEqual(await play());
    });

    it('what it says of an answer is what it judges of it', async () => {
      const rollouts = await play();
      if (rollouts === undefined) return;
      const verdicts = await listed(bench.environment().judge(rollouts));
      expect(rollouts.map(({ verdict }) => verdict)).toEqual(verdicts);
    });
  });
}

// Whether data made from what an environment yields may be written as an event.

const id = '98f69b8a-88e8-875f-8002-140000001003';

/** What the catalogue has against data of a type. */
export function issuesOf(type: TypeName, data: object): string[] {
  const inRun = type === 'RunStarted' || type === 'ConfigAdopted';
  const stage = type === 'RunStarted' ? null : 1;
  const envelope = { id, type, version: versionOf(type), at: '2026-07-01T12:00:00Z', actor: 'producer/contract' };
  const event = { ...envelope, run: 'any', stage, causes: [], data };
  return checkEvent(inRun ? 'run-any' : 'evidence-any-1-0-0', event).map(describeIssue);
}

/** What is wrong with a judged try as evidence: with its events, and with how the descriptor reads them. */
function evidenceIssues(descriptor: Descriptor, split: Split, tried: Try, verdict: Verdict): string[] {
  const trial = { split, policy: 'any' };
  const rollout = rolloutData(descriptor, trial, tried, verdict);
  const failure = failureData(descriptor, trial, id, tried.task, verdict);
  const issues = [
    ...issuesOf('RolloutRecorded', rollout),
    ...(failure === null ? [] : issuesOf('FailureRecorded', failure)),
  ];
  const family = familyOf(descriptor, rollout);
  if (family !== tried.task.family)
    issues.push(`the descriptor reads the family ${family}, which is ${tried.task.family}`);
  const failed = isFailed(descriptor, rollout);
  if (isSpoilt(verdict)) return failed ? [...issues, 'the descriptor reads a spoilt rollout as a failed one'] : issues;
  const [first] = verdict.failures;
  if (verdict.success === (first !== undefined)) issues.push('a success has no failure, and all else has at least one');
  if (failed !== (first !== undefined))
    issues.push(`the descriptor reads failed: ${failed}, the verdict says otherwise`);
  const read = failureClassOf(descriptor, rollout);
  if (failed && read !== first?.class) issues.push(`the descriptor reads the class ${read}, which is ${first?.class}`);
  return issues;
}

// What an environment supplies to be held to the contract.

export interface Fixture {
  /** A new environment: nothing is shared with one that was opened before. */
  open(): Promise<Environment>;
  /** An answer that is a success. */
  right(task: Task): unknown;
  /** Answers that are none, as different from each other as they can be. */
  wrong(task: Task): readonly unknown[];
  /** What the environment does not offer: then it must refuse it. */
  readonly lacks?: readonly 'probe'[];
  /** How many tasks the tests may ask for at once: a few hundred where that takes a blink. */
  readonly many: number;
}

/** One environment for a whole part of the contract, and new ones where a test needs its own. */
export interface Bench extends Omit<Fixture, 'open'> {
  environment(): Environment;
  another(): Promise<Environment>;
  /** The tasks of a suite of the first environment, which are made once. */
  suite(name: string): Promise<Collected>;
}

export interface Collected {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** Everything a generator of tasks yields. */
export async function collected(tasks: Tasks): Promise<Collected> {
  const all: Task[] = [];
  for (;;) {
    const next = await tasks.next();
    if (next.done === true) return { tasks: all, shortages: next.value };
    all.push(next.value);
  }
}

export async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** How many tasks the shortages say are missing. */
function missingIn(shortages: readonly Shortage[]): number {
  return shortages.reduce((sum, { asked, achieved }) => sum + asked - achieved, 0);
}

export function judgedOf(verdict: Verdict | undefined): Judged {
  if (verdict === undefined || isSpoilt(verdict)) throw new Error(`no judgement: ${JSON.stringify(verdict)}`);
  return verdict;
}
