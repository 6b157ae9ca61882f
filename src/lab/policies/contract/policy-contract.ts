// The contract every policy must keep, written once. A policy supplies a fixture: how to open it, and tasks it can plan
// for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkEvent, type TypeName, versionOf } from '../../../../schemas/catalogue.ts';
import { describeIssue } from '../../../../schemas/errors.ts';
import { listed } from '../../environments/contract/tasks.ts';
import type { Seed, Task } from '../../environments/environment.ts';
import { type Planned, type PlanRequest, type Policy, PolicyClosed, type Spoken } from '../policy.ts';

export function policyContract(name: string, fixture: Fixture): void {
  describe(`the policy contract: ${name}`, () => {
    const opened: Policy[] = [];
    let tasks: readonly Task[] = [];
    const another = async (): Promise<Policy> => {
      const policy = await fixture.open();
      opened.push(policy);
      return policy;
    };
    const bench: Bench = {
      ...fixture,
      another,
      tasks: () => tasks,
      policy: () => {
        const [first] = opened;
        if (first === undefined) throw new Error('the policy is not ready');
        return first;
      },
    };

    beforeAll(async () => {
      tasks = await fixture.tasks();
      await another();
    });
    afterAll(async () => {
      for (const policy of opened) await policy.close();
    });

    for (const part of [telling, planning, flowing, ending]) part(bench);
  });
}

// What a policy supplies to be held to the contract.

export interface Fixture {
  /** A new policy: nothing is shared with one that was opened before. */
  open(): Promise<Policy>;
  /** Tasks it can plan for, no two of them alike; about twenty. */
  tasks(): Promise<readonly Task[]>;
  /**
   * What becomes of its plans when it is asked with another seed, or for another sample: most policies draw others; one
   * that always plans the same says `same`.
   */
  readonly draws: 'others' | 'same';
  /** Whether it knows a best plan: then greedy ones depend on neither seed nor sample. */
  readonly knowsBest: boolean;
  /** How many plans the tests may ask for at once: some hundred where that takes a blink. */
  readonly many: number;
}

/** One policy for a whole part of the contract, and new ones where a test needs its own. */
interface Bench extends Omit<Fixture, 'open' | 'tasks'> {
  policy(): Policy;
  another(): Promise<Policy>;
  tasks(): readonly Task[];
}

const seed: Seed = 'first';

function plansOf(policy: Policy, request: Omit<PlanRequest, 'seed'> & { seed?: Seed }): Promise<Planned[]> {
  return listed(policy.plan({ seed, ...request }));
}

/** What may not differ between two plans of the same task, sample and seed: all but what another machine has otherwise. */
function lasting({ measured, ...planned }: Planned): Omit<Planned, 'measured'> {
  return planned;
}

/** What tells one plan from another. */
const answersOf = (planned: readonly Planned[]): unknown[] => planned.map(({ answer }) => answer);

// The contract: what a policy says of itself and of its plans, and that events can hold it.

function telling(bench: Bench): void {
  const planned = (): Promise<Planned[]> => plansOf(bench.policy(), { tasks: bench.tasks(), samples: 2 });

  describe('telling', () => {
    it('what it is and the snapshot it plans with may stand in the event of a training', () => {
      const { component, checkpoint } = bench.policy();
      expect(issuesOf('TrainingRecorded', { policy: component, checkpoint })).toEqual([]);
    });

    it('plans survive being written down', async () => {
      const all = await planned();
      expect(JSON.parse(JSON.stringify(all))).toEqual(all);
    });

    it('where there is no answer for a fault, there is none', async () => {
      for (const { fault, answer } of await planned()) if (fault !== undefined) expect(answer).toBe(null);
    });

    it('how sure it is lies where probabilities allow it', async () => {
      for (const { sureness } of await planned()) {
        if (sureness === undefined) continue;
        const { logProbability, entropy, value = 0 } = sureness;
        expect(logProbability).toBeLessThanOrEqual(0);
        expect(entropy).toBeGreaterThanOrEqual(0);
        for (const number of [logProbability, entropy, value]) expect(Number.isFinite(number)).toBe(true);
      }
    });

    it('how many agent steps a plan took, and what was measured, may stand in the event of a rollout', async () => {
      for (const { agentSteps, measured } of await planned()) {
        const report = {
          ...(agentSteps === undefined ? {} : { agentSteps }),
          ...(measured === undefined ? {} : { measured }),
        };
        const rollout = { environment: 'any', split: 'probe', policy: 'any', outcome: 'any', ...report };
        expect(issuesOf('RolloutRecorded', rollout)).toEqual([]);
      }
    });

    it('what it said may be recorded as the answer of a model, each once', async () => {
      const spoken = (await planned()).flatMap(({ spoken }) => (spoken === undefined ? [] : [spoken]));
      for (const said of spoken) expect(issuesOf('ModelAnswered', answerOf(said))).toEqual([]);
      expect(new Set(spoken.map(({ key }) => key)).size).toBe(spoken.length);
    });
  });
}

function answerOf({ prompt, completion, reasoning, ...said }: Spoken): object {
  const aloud = reasoning === undefined ? {} : { reasoning: { text: reasoning } };
  return { ...said, prompt: { text: prompt }, answer: { text: completion }, ...aloud };
}

// The contract: what a plan follows from, and the order in which plans come.

function planning(bench: Bench): void {
  describe('planning', () => {
    it('there is a plan a task and sample, in the order of tasks and then of samples', async () => {
      const tasks = bench.tasks();
      const planned = await plansOf(bench.policy(), { tasks, samples: 3 });
      const expected = tasks.flatMap((task) => [0, 1, 2].map((sample) => ({ task, sample })));
      expect(planned.map(({ task, sample }) => ({ task, sample }))).toEqual(expected);
      expect((await plansOf(bench.policy(), { tasks })).map(({ task, sample }) => ({ task, sample }))).toEqual(
        tasks.map((task) => ({ task, sample: 0 })),
      );
    });

    it('without tasks or samples there are none', async () => {
      expect(await plansOf(bench.policy(), { tasks: [] })).toEqual([]);
      expect(await plansOf(bench.policy(), { tasks: bench.tasks(), samples: 0 })).toEqual([]);
    });

    it('the same request gives the same plans, here and from another policy of the kind', async () => {
      const request = { tasks: bench.tasks(), samples: 2 };
      const once = (await plansOf(bench.policy(), request)).map(lasting);
      expect((await plansOf(bench.policy(), request)).map(lasting)).toEqual(once);
      expect((await plansOf(await bench.another(), request)).map(lasting)).toEqual(once);
    });

    it('a plan does not depend on what is planned before, after or together with it', async () => {
      const tasks = bench.tasks();
      const together = (await plansOf(bench.policy(), { tasks })).map(lasting);
      const backwards = (await plansOf(bench.policy(), { tasks: [...tasks].reverse() })).map(lasting);
      expect(backwards.reverse()).toEqual(together);
      const alone = [];
      for (const task of tasks) alone.push(...(await plansOf(bench.policy(), { tasks: [task] })));
      expect(alone.map(lasting)).toEqual(together);
      const twice = (await plansOf(bench.policy(), { tasks: [...tasks, ...tasks] })).map(lasting);
      expect(twice).toEqual([...together, ...together]);
    });

    it('a sample does not depend on how many there are', async () => {
      const tasks = bench.tasks();
      const few = (await plansOf(bench.policy(), { tasks, samples: 2 })).map(lasting);
      const more = (await plansOf(bench.policy(), { tasks, samples: 5 })).filter(({ sample }) => sample < 2);
      expect(more.map(lasting)).toEqual(few);
    });

    it('two requests read by turns do not disturb each other', async () => {
      const tasks = bench.tasks();
      const requests = [
        { tasks, seed: 'first' },
        { tasks: [...tasks].reverse(), seed: 'second' },
      ];
      const alone = await Promise.all(requests.map((request) => plansOf(bench.policy(), request)));
      const running = requests.map((request) => bench.policy().plan(request));
      const byTurns = requests.map((): unknown[] => []);
      for (let i = 0; i < tasks.length; i++) {
        for (const [j, plans] of running.entries()) {
          const next = await plans.next();
          if (next.done !== true) byTurns[j]?.push(lasting(next.value));
        }
      }
      expect(byTurns).toEqual(alone.map((planned) => planned.map(lasting)));
    });

    it(`another seed and another sample give ${bench.draws === 'same' ? 'the same plans' : 'other plans'}`, async () => {
      const tasks = bench.tasks();
      const first = answersOf(await plansOf(bench.policy(), { tasks }));
      const seconds = answersOf(await plansOf(bench.policy(), { tasks, seed: 'second' }));
      const samples = await plansOf(bench.policy(), { tasks, samples: 2 });
      const later = answersOf(samples.filter(({ sample }) => sample === 1));
      if (bench.draws === 'same') expect([seconds, later]).toEqual([first, first]);
      else for (const others of [seconds, later]) expect(others).not.toEqual(first);
    });

    it.runIf(bench.knowsBest)('greedy plans depend on neither seed nor sample', async () => {
      const tasks = bench.tasks();
      const best = answersOf(await plansOf(bench.policy(), { tasks, greedy: true }));
      expect(answersOf(await plansOf(bench.policy(), { tasks, greedy: true, seed: 'second' }))).toEqual(best);
      const samples = await plansOf(bench.policy(), { tasks, greedy: true, samples: 2 });
      expect(answersOf(samples)).toEqual(best.flatMap((answer) => [answer, answer]));
    });
  });
}

// The contract: any number of tasks, taken as they come and no faster than they are planned.

/** A policy may plan so many tasks together. */
const mostAhead = 1024;

function flowing(bench: Bench): void {
  describe('any number of tasks', () => {
    it('are taken a bounded number ahead, and no more when nobody reads on', async () => {
      const tasks = bench.tasks();
      let taken = 0;
      let left = false;
      async function* endless(): AsyncGenerator<Task, void, undefined> {
        try {
          for (;;) yield tasks[taken++ % tasks.length] as Task;
        } finally {
          left = true;
        }
      }
      let read = 0;
      for await (const { task } of bench.policy().plan({ tasks: endless(), seed })) {
        expect(task).toEqual(tasks[read % tasks.length]);
        read += 1;
        expect(taken - read).toBeLessThanOrEqual(mostAhead);
        if (read === bench.many) break;
      }
      const afterwards = taken;
      expect(left).toBe(true);
      await plansOf(bench.policy(), { tasks: [] });
      expect(taken).toBe(afterwards);
    });

    it('are not taken before the first plan is asked for', async () => {
      let taken = 0;
      function* counted(): Generator<Task, void, undefined> {
        for (const task of bench.tasks()) {
          taken += 1;
          yield task;
        }
      }
      const plans = bench.policy().plan({ tasks: counted(), seed });
      expect(taken).toBe(0);
      await plans.return();
      expect(taken).toBe(0);
    });

    it('that come slowly are planned as they come', async () => {
      const [first, second] = bench.tasks() as [Task, Task];
      const gate = Promise.withResolvers<void>();
      async function* slow(): AsyncGenerator<Task, void, undefined> {
        yield first;
        await gate.promise;
        yield second;
      }
      const plans = bench.policy().plan({ tasks: slow(), seed });
      const planned = [await plans.next()];
      gate.resolve();
      planned.push(await plans.next());
      expect((await plans.next()).done).toBe(true);
      const alike = await plansOf(bench.policy(), { tasks: [first, second] });
      expect(planned.map(({ value }) => lasting(value as Planned))).toEqual(alike.map(lasting));
    });

    it('from a source that breaks break the planning for its reason, and the policy goes on', async () => {
      const tasks = bench.tasks();
      const reason = new Error('the environment is gone');
      async function* breaking(): AsyncGenerator<Task, void, undefined> {
        yield* tasks.slice(0, 3);
        throw reason;
      }
      const planned: Planned[] = [];
      const reading = async (): Promise<void> => {
        for await (const plan of bench.policy().plan({ tasks: breaking(), seed })) planned.push(plan);
      };
      await expect(reading()).rejects.toBe(reason);
      const alike = (await plansOf(bench.policy(), { tasks: tasks.slice(0, 3) })).map(lasting);
      expect(planned.map(lasting)).toEqual(alike.slice(0, planned.length));
    });
  });
}

// The contract: stopping in the middle, and closing.

function ending(bench: Bench): void {
  const reason = new Error('stopped by a person');

  /** One task, and then none for ever. */
  async function* stuck(): AsyncGenerator<Task, void, undefined> {
    yield bench.tasks()[0] as Task;
    await new Promise(() => {});
  }

  describe('stopping', () => {
    it('plans that nobody reads to their end leave the policy as it was', async () => {
      const tasks = bench.tasks();
      const whole = (await plansOf(bench.policy(), { tasks })).map(lasting);
      for await (const planned of bench.policy().plan({ tasks, seed })) {
        expect(lasting(planned)).toEqual(whole[0]);
        break;
      }
      expect((await plansOf(bench.policy(), { tasks })).map(lasting)).toEqual(whole);
    });

    it('what is aborted throws the reason, before the first plan or in the middle', async () => {
      const tasks = bench.tasks();
      const before = bench.policy().plan({ tasks, seed, signal: AbortSignal.abort(reason) });
      await expect(before.next()).rejects.toBe(reason);
      const stop = new AbortController();
      const plans = bench.policy().plan({ tasks, seed, signal: stop.signal });
      await plans.next();
      stop.abort(reason);
      await expect(plans.next()).rejects.toBe(reason);
      expect((await plans.next()).done).toBe(true);
      expect(await plansOf(bench.policy(), { tasks: tasks.slice(0, 1) })).toHaveLength(1);
    });

    it('what is aborted while it waits for tasks throws the reason at once', async () => {
      const stop = new AbortController();
      const plans = bench.policy().plan({ tasks: stuck(), seed, signal: stop.signal });
      await plans.next();
      const waiting = plans.next();
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    });
  });

  describe('closing', () => {
    it('ends what is under way, refuses what comes later, and may be done twice', async () => {
      const policy = await bench.another();
      const tasks = bench.tasks();
      const plans = policy.plan({ tasks, seed });
      await plans.next();
      const waiting = policy.plan({ tasks: stuck(), seed });
      await waiting.next();
      const refused = expect(waiting.next()).rejects.toThrow(PolicyClosed);
      await Promise.all([policy.close(), policy.close()]);
      await policy.close();
      await refused;
      await expect(listed(plans)).rejects.toThrow(PolicyClosed);
      await expect(policy.plan({ tasks, seed }).next()).rejects.toThrow(PolicyClosed);
    });
  });
}

// Whether data made from what a policy or a trainer yields may be written as an event.

const streams = { TrainingRecorded: 'run-any', EvaluationRecorded: 'run-any', RolloutRecorded: 'evidence-any-1-0-0' };

/** What the catalogue has against data of a type; an answer stands in the stream of its key. */
export function issuesOf(type: keyof typeof streams | 'ModelAnswered', data: object): string[] {
  const stream = type === 'ModelAnswered' ? `answer-${(data as { key?: string }).key}` : streams[type];
  const event = {
    id: '98f69b8a-88e8-875f-8002-140000001003',
    type,
    version: versionOf(type satisfies TypeName),
    at: '2026-07-01T12:00:00Z',
    actor: 'producer/contract',
    run: 'any',
    stage: 1,
    causes: [],
    data,
  };
  return checkEvent(stream, event).map(describeIssue);
}
