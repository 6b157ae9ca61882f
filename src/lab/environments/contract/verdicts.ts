// The contract: verdicts on answers, and rollouts of environments that run policies themselves.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvent, type TypeName, versionOf } from '../../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import { describeIssue } from '../../../../schemas/errors.ts';
import { tries } from '../../../../schemas/testing/tries.ts';
import { failureData, rolloutData } from '../../evaluation/recorded.ts';
import {
  isSpoilt,
  type Rollout,
  type RolloutRequest,
  type Split,
  type Task,
  type Try,
  type Verdict,
} from '../environment.ts';
import { failureClassOf, familyOf, isFailed } from '../rollout-reading.ts';
import { type Bench, collected, judgedOf, listed } from './tasks.ts';

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

    it('a right answer is a success, and a wrong one has at least one failure', async () => {
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

    it('uses only the names of the descriptor', async () => {
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

    it('verdicts can be recorded as evidence, and the descriptor reads them correctly', async () => {
      const { descriptor } = bench.environment();
      const tries = await someTries();
      const verdicts = await judge(tries);
      for (const [i, tried] of tries.entries())
        expect(evidenceIssues(descriptor, 'train', tried, verdicts[i] as Verdict)).toEqual([]);
    });

    it('invalid tries are recorded, and do not count as failed', async () => {
      const { descriptor } = bench.environment();
      const spoilt = { spoilt: { kind: 'timeout', message: 'the judge did not answer' } };
      for (const tried of await someTries()) expect(evidenceIssues(descriptor, 'train', tried, spoilt)).toEqual([]);
    });

    it('the same try has the same verdict, in the order of the tries, in any batch', async () => {
      const tries = await someTries();
      const verdicts = await judge(tries);
      expect(await judge([...tries].reverse())).toEqual([...verdicts].reverse());
      expect(await judge(tries.slice(0, 3))).toEqual(verdicts.slice(0, 3));
      expect(await judge([])).toEqual([]);
    });

    it('every answer has a verdict, however strange', async () => {
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

    it('reads a bounded number of tries ahead, and stops when the consumer stops', async () => {
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

    it('fails with the error of its source, after the earlier verdicts', async () => {
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

    it('judges slow tries as they arrive', async () => {
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

// The contract: rollouts of environments that run policies themselves.

export function playing(bench: Bench): void {
  describe('running a policy', () => {
    const play = async (change: Partial<RolloutRequest> = {}): Promise<Rollout[] | undefined> => {
      const { generate, start, rollout } = bench.environment();
      if (rollout === undefined) return undefined;
      const { tasks } = await collected(generate({ configuration: start, split: 'train', count: 6, seed: 'played' }));
      return listed(rollout({ tasks, samples: 3, policy: { name: 'any' }, seed: 'a', ...change }));
    };

    it('tries every task the requested number of times, in order, and gives evidence', async () => {
      const rollouts = await play();
      if (rollouts === undefined) return;
      expect(rollouts.map(({ sample }) => sample)).toEqual(Array.from({ length: 18 }, (_, i) => i % 3));
      expect(new Set(rollouts.map(({ task }) => task.id)).size).toBe(6);
      const { descriptor } = bench.environment();
      for (const rollout of rollouts) expect(evidenceIssues(descriptor, 'train', rollout, rollout.verdict)).toEqual([]);
    });

    it('gives the same rollouts for the same seed', async () => {
      expect(await play()).toEqual(await play());
    });

    it('gives the same verdicts as judging the answers', async () => {
      const rollouts = await play();
      if (rollouts === undefined) return;
      const verdicts = await listed(bench.environment().judge(rollouts));
      expect(rollouts.map(({ verdict }) => verdict)).toEqual(verdicts);
    });
  });
}

// Whether data from an environment may be recorded as an event.

const id = '98f69b8a-88e8-875f-8002-140000001003';

/** The catalogue's issues with data of a type. */
export function issuesOf(type: TypeName, data: object): string[] {
  const inRun = type === 'RunStarted' || type === 'ConfigAdopted';
  const stage = type === 'RunStarted' ? null : 1;
  const envelope = { id, type, version: versionOf(type), at: '2026-07-01T12:00:00Z', actor: 'producer/contract' };
  const event = { ...envelope, run: 'any', stage, causes: [], data };
  return checkEvent(inRun ? 'run-any' : 'evidence-any-1-0-0', event).map(describeIssue);
}

/** The issues of a judged try as evidence: of its events, and of how the descriptor reads them. */
function evidenceIssues(descriptor: Descriptor, split: Split, tried: Try, verdict: Verdict): string[] {
  const { environment } = descriptor;
  const trial = { environment, split, policy: { component: { name: 'any' }, checkpoint: null } };
  const evaluated = { planned: { ...tried, sample: 0 }, verdict };
  const rollout = rolloutData(trial, evaluated);
  const failure = failureData(trial, id, evaluated);
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
