// The contract: verdicts on answers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Task, Try, Verdict } from '../environment.ts';
import { evidenceIssues } from './events.ts';
import { type Bench, collected, judgedOf, listed } from './fixture.ts';

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
        { numRuns: 20 },
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
