// The contract that every policy must satisfy. A fixture provides how to open the policy, and tasks for it.
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

// What the fixture of a policy provides.

export interface Fixture {
  /** A new policy that shares nothing with earlier ones. */
  open(): Promise<Policy>;
  /** Distinct tasks for it, about twenty. */
  tasks(): Promise<readonly Task[]>;
  /**
   * How its plans change with another seed or sample: most policies sample others; `same` is for policies that always
   * plan the same.
   */
  readonly draws: 'others' | 'same';
  /** Whether it has a greedy mode: then greedy plans depend on neither seed nor sample. */
  readonly knowsBest: boolean;
  /** How many plans tests may request at once: some hundred if that is fast. */
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

/**
 * What must be equal in two plans for the same task, sample and seed: everything that does not depend on the machine.
 */
function lasting({ measured, ...planned }: Planned): Omit<Planned, 'measured'> {
  return planned;
}

/** What distinguishes plans. */
const answersOf = (planned: readonly Planned[]): unknown[] => planned.map(({ answer }) => answer);

// The contract: the policy's description and plans can be recorded in events.

function telling(bench: Bench): void {
  const planned = (): Promise<Planned[]> => plansOf(bench.policy(), { tasks: bench.tasks(), samples: 2 });

  describe('reporting', () => {
    it('its description and checkpoint can be recorded in a training event', () => {
      const { component, checkpoint } = bench.policy();
      expect(issuesOf('TrainingRecorded', { policy: component, checkpoint })).toEqual([]);
    });

    it('its plans survive serialisation', async () => {
      const all = await planned();
      expect(JSON.parse(JSON.stringify(all))).toEqual(all);
    });

    it('a plan with a fault has no answer', async () => {
      for (const { fault, answer } of await planned()) if (fault !== undefined) expect(answer).toBe(null);
    });

    it('its log probability, entropy and value are valid numbers', async () => {
      for (const { sureness } of await planned()) {
        if (sureness === undefined) continue;
        const { logProbability, entropy, value = 0 } = sureness;
        expect(logProbability).toBeLessThanOrEqual(0);
        expect(entropy).toBeGreaterThanOrEqual(0);
        for (const number of [logProbability, entropy, value]) expect(Number.isFinite(number)).toBe(true);
      }
    });

    it('its agent steps and measurements can be recorded in a rollout event', async () => {
      for (const { agentSteps, measured } of await planned()) {
        const report = {
          ...(agentSteps === undefined ? {} : { agentSteps }),
          ...(measured === undefined ? {} : { measured }),
        };
        const rollout = { environment: 'any', split: 'probe', policy: 'any', outcome: 'any', ...report };
        expect(issuesOf('RolloutRecorded', rollout)).toEqual([]);
      }
    });

    it('each of its outputs can be recorded as a model answer', async () => {
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

// The contract: what a plan depends on, and the order of plans.

function planning(bench: Bench): void {
  describe('planning', () => {
    it('gives one plan per task and sample, ordered by task, then by sample', async () => {
      const tasks = bench.tasks();
      const planned = await plansOf(bench.policy(), { tasks, samples: 3 });
      const expected = tasks.flatMap((task) => [0, 1, 2].map((sample) => ({ task, sample })));
      expect(planned.map(({ task, sample }) => ({ task, sample }))).toEqual(expected);
      expect((await plansOf(bench.policy(), { tasks })).map(({ task, sample }) => ({ task, sample }))).toEqual(
        tasks.map((task) => ({ task, sample: 0 })),
      );
    });

    it('gives no plans without tasks or samples', async () => {
      expect(await plansOf(bench.policy(), { tasks: [] })).toEqual([]);
      expect(await plansOf(bench.policy(), { tasks: bench.tasks(), samples: 0 })).toEqual([]);
    });

    it('gives the same plans for the same request, in every instance', async () => {
      const request = { tasks: bench.tasks(), samples: 2 };
      const once = (await plansOf(bench.policy(), request)).map(lasting);
      expect((await plansOf(bench.policy(), request)).map(lasting)).toEqual(once);
      expect((await plansOf(await bench.another(), request)).map(lasting)).toEqual(once);
    });

    it('a plan does not depend on what is planned before, after or with it', async () => {
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

    it('a sample does not depend on the number of samples', async () => {
      const tasks = bench.tasks();
      const few = (await plansOf(bench.policy(), { tasks, samples: 2 })).map(lasting);
      const more = (await plansOf(bench.policy(), { tasks, samples: 5 })).filter(({ sample }) => sample < 2);
      expect(more.map(lasting)).toEqual(few);
    });

    it('interleaved requests do not affect each other', async () => {
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

// The contract: any number of tasks, read as needed.

/** A policy may plan this number of tasks together. */
const mostAhead = 1024;

function flowing(bench: Bench): void {
  describe('any number of tasks', () => {
    it('are read a bounded number ahead, and none after the consumer stops', async () => {
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

    it('are not read before the first plan is requested', async () => {
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

    it('that arrive slowly are planned as they arrive', async () => {
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

    it('from a failing source fail the request with its error, and the policy stays usable', async () => {
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

// The contract: aborting and closing.

function ending(bench: Bench): void {
  const reason = new Error('stopped by a person');

  /** One task, and then none for ever. */
  async function* stuck(): AsyncGenerator<Task, void, undefined> {
    yield bench.tasks()[0] as Task;
    await new Promise(() => {});
  }

  describe('stopping', () => {
    it('plans that are not read to their end leave the policy intact', async () => {
      const tasks = bench.tasks();
      const whole = (await plansOf(bench.policy(), { tasks })).map(lasting);
      for await (const planned of bench.policy().plan({ tasks, seed })) {
        expect(lasting(planned)).toEqual(whole[0]);
        break;
      }
      expect((await plansOf(bench.policy(), { tasks })).map(lasting)).toEqual(whole);
    });

    it('an aborted request throws the reason, before the first plan or in the middle', async () => {
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

    it('a request aborted while it waits for tasks throws the reason at once', async () => {
      const stop = new AbortController();
      const plans = bench.policy().plan({ tasks: stuck(), seed, signal: stop.signal });
      await plans.next();
      const waiting = plans.next();
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    });
  });

  describe('closing', () => {
    it('close ends requests in progress, refuses later ones, and is idempotent', async () => {
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

// Whether data from a policy or a trainer may be recorded as an event.

const streams = { TrainingRecorded: 'run-any', EvaluationRecorded: 'run-any', RolloutRecorded: 'evidence-any-1-0-0' };

/** The catalogue's issues with data of a type; an answer is in the stream of its key. */
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
