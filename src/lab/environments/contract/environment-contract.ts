// The contract that every environment must satisfy. A fixture provides how to open the environment, and right and wrong
// answers. Optional features are tested if they are offered.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contradictions } from '../../../../schemas/contradictions.ts';
import { fieldOf } from '../../../../schemas/errors.ts';
import { getOrCreate } from '../../../base/get-or-create.ts';
import { adjusted } from '../configuration.ts';
import {
  BadConfiguration,
  type Configuration,
  type Environment,
  EnvironmentClosed,
  type Split,
  type Task,
  type Try,
  taskDigest,
} from '../environment.ts';
import { recordedConfiguration, withKnob } from '../knobs.ts';
import { type Bench, type Collected, collected, type Fixture, generating, listed, probing } from './tasks.ts';
import { issuesOf, judging, playing } from './verdicts.ts';

export function environmentContract(name: string, fixture: Fixture): void {
  describe(`the environment contract: ${name}`, () => {
    const opened: Environment[] = [];
    const another = async (): Promise<Environment> => {
      const environment = await fixture.open();
      opened.push(environment);
      return environment;
    };
    const first = (): Environment => {
      const [environment] = opened;
      if (environment === undefined) throw new Error('the environment is not ready');
      return environment;
    };
    const suites = new Map<string, Promise<Collected>>();
    const suite = (name: string): Promise<Collected> => getOrCreate(suites, name, () => collected(first().suite(name)));
    const bench: Bench = { ...fixture, another, environment: first, suite };

    beforeAll(another);
    afterAll(async () => {
      for (const environment of opened) await environment.close();
    });

    for (const part of [describing, configuring, generating, splitting, probing, judging, showing, playing, ending])
      part(bench);
  });
}

// The contract: the environment's description.

function describing(bench: Bench): void {
  describe('its description', () => {
    it('has a consistent descriptor that a RunStarted event can hold', () => {
      const { descriptor, suites } = bench.environment();
      expect(contradictions(descriptor, 'descriptor')).toEqual([]);
      const listed = suites.map(({ meaning, ...suite }) => suite);
      const data = { name: 'any', environment: { name: descriptor.environment }, descriptor, suites: listed };
      expect(issuesOf('RunStarted', data)).toEqual([]);
    });

    it('has a valid start configuration that sets every knob and can be adopted', () => {
      const { descriptor, start, check } = bench.environment();
      expect(check(start)).toEqual([]);
      const configuration = recordedConfiguration(descriptor, start);
      expect(configuration.knobs.map(({ knob }) => knob)).toEqual(descriptor.knobs.map(({ name }) => name));
      const nothing = {
        proposal: null,
        context: null,
        previous: null,
        changes: [],
        kept: null,
        clamps: [],
        rationale: null,
      };
      expect(issuesOf('ConfigAdopted', { by: 'initial', configuration, ...nothing })).toEqual([]);
    });

    it('has unique names of suites', () => {
      const names = bench.environment().suites.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    });
  });
}

// The contract: configurations.

function configuring(bench: Bench): void {
  describe('configurations', () => {
    it('a knob out of its range is reported by its path, and nothing is generated', async () => {
      const { descriptor, start, check, generate } = bench.environment();
      for (const knob of descriptor.knobs) {
        const { min, max } = knob.range;
        for (const value of [max + 1, min - 1]) {
          const configuration = withKnob(start, knob, value);
          expect(check(configuration)).toContainEqual(expect.objectContaining({ field: fieldOf(knob.path) }));
          const tasks = generate({ configuration, split: 'train', count: 1, seed: 'a' });
          await expect(tasks.next()).rejects.toThrow(BadConfiguration);
        }
      }
    });

    it('a knob that is not a number is reported by its path', () => {
      const { descriptor, start, check } = bench.environment();
      for (const knob of descriptor.knobs) {
        for (const value of ['0.5', null, Number.NaN]) {
          const configuration = withKnob(start, knob, value as number);
          expect(check(configuration)).toContainEqual(expect.objectContaining({ field: fieldOf(knob.path) }));
        }
      }
    });

    it('any input gives issues instead of an exception', () => {
      const { check, descriptor } = bench.environment();
      if (descriptor.knobs.length === 0) return;
      fc.assert(
        fc.property(fc.anything({ withNullPrototype: true }), (value) => {
          expect(check(value)).not.toEqual([]);
        }),
      );
    });

    it('any proposal is valid after clamping by the descriptor', () => {
      const { descriptor, start, check } = bench.environment();
      const values = fc.tuple(...descriptor.knobs.map(({ range }) => fc.double({ ...range, noNaN: true })));
      fc.assert(
        fc.property(values, (values) => {
          const proposed = descriptor.knobs.reduce((all, knob, i) => withKnob(all, knob, values[i] as number), start);
          expect(check(adjusted(descriptor, proposed).configuration)).toEqual([]);
        }),
      );
    });

    it('a family without a share has no tasks', async () => {
      const { descriptor, start, generate } = bench.environment();
      for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
        for (const alone of names) {
          const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
          if (shares.some(({ range, name }) => (name === alone ? range.max < total : range.min > 0))) continue;
          const configuration = shares.reduce(
            (all, knob) => withKnob(all, knob, knob.name === alone ? total : 0),
            start,
          );
          const { tasks } = await collected(generate({ configuration, split: 'train', count: 12, seed: 'a' }));
          const family = shares.find(({ name }) => name === alone)?.family;
          expect(new Set(tasks.map((task) => task.family))).toEqual(new Set([family]));
        }
      }
    });
  });
}

// The contract: drawings and prompts, if the environment has them.

function showing(bench: Bench): void {
  describe('drawing, solving and prompting', () => {
    const aTask = async (): Promise<Task> => {
      const { generate, start } = bench.environment();
      const { tasks } = await collected(generate({ configuration: start, split: 'train', count: 1, seed: 'shown' }));
      return tasks[0] as Task;
    };

    it('a drawing of a task, with any answer and verdict, is always the same', async () => {
      const { draw, judge } = bench.environment();
      if (draw === undefined) return;
      const task = await aTask();
      const [wrong] = bench.wrong(task);
      const [verdict] = await listed(judge([{ task, answer: wrong }]));
      const shown = [await draw(task), await draw(task, bench.right(task)), await draw(task, wrong, verdict)];
      for (const { text, frames = [], ...pictures } of shown) {
        expect(text.trim()).not.toBe('');
        for (const svg of [...Object.values(pictures), ...frames.map((frame) => frame.svg)])
          expect(svg.trim()).toMatch(/^<svg\b(?![\s\S]*<script)[\s\S]*<\/svg>$/);
        for (const { says } of frames) expect(says).toMatch(/^\S.*$/);
        expect(new Set(frames.map(({ svg }) => sizeOf(svg))).size).toBeLessThanOrEqual(1);
      }
      expect(await draw(task)).toEqual(shown[0]);
      expect(shown[2]?.text).not.toBe(shown[0]?.text);
      for (const strange of [null, '', 7, 'nonsense', [], {}]) expect((await draw(task, strange)).text).not.toBe('');
    });

    it('the best answer that it finds is always the same and solves the task', async () => {
      const { solve, judge } = bench.environment();
      if (solve === undefined) return;
      const task = await aTask();
      const answer = await solve(task);
      expect(await solve(task)).toEqual(answer);
      if (answer === null) return;
      expect(await listed(judge([{ task, answer }]))).toMatchObject([{ success: true }]);
    });

    it('a prompt for a task is not empty and always the same', async () => {
      const { prompt } = bench.environment();
      if (prompt === undefined) return;
      const task = await aTask();
      const text = await prompt(task);
      expect(text.trim()).not.toBe('');
      expect(await prompt(task)).toBe(text);
    });
  });
}

function sizeOf(svg: string): string {
  const [, tag = ''] = /^\s*<svg\b([^>]*)>/.exec(svg) ?? [];
  return ['viewBox', 'width', 'height']
    .map((name) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
    .join(', ');
}

// The contract: a task belongs to one split, for all requests.

const splits: readonly Split[] = ['train', 'probe', 'probe-holdout', 'validation', 'test'];

function splitting(bench: Bench): void {
  describe('splits', () => {
    it('no task of one split is in another, for any configuration and seed, not even mirrored', async () => {
      const environment = bench.environment();
      const splitOf = new Map<string, Split>();
      const strays: string[] = [];
      for await (const { split, task } of everything(environment, bench)) {
        for (const key of keysOf(task)) {
          const before = splitOf.get(key) ?? split;
          if (before !== split) strays.push(`${JSON.stringify(task.instance)} is in ${before} and in ${split}`);
          splitOf.set(key, before);
        }
      }
      expect(strays).toEqual([]);
      expect(new Set(splitOf.values())).toEqual(new Set(splits));
    });

    it('outside of training no task repeats', async () => {
      const { generate, start } = bench.environment();
      for (const split of splits.filter((split) => split !== 'train')) {
        const { tasks } = await collected(generate({ configuration: start, split, count: bench.many, seed: 'a' }));
        expect(new Set(tasks.map(taskDigest)).size).toBe(tasks.length);
      }
    });
  });
}

async function* everything(
  environment: Environment,
  { many, lacks, suite }: Bench,
): AsyncGenerator<{ split: Split; task: Task }, void, undefined> {
  const configurations = [environment.start, ...ends(environment)];
  for (const [i, configuration] of configurations.entries()) {
    for (const split of splits) {
      const request = { configuration, split, count: Math.ceil(many / 2), seed: `seed ${i}` };
      for await (const task of environment.generate(request)) yield { split, task };
    }
  }
  for (const split of ['probe', 'probe-holdout'] as const) {
    if (lacks?.includes('probe')) continue;
    const request = { configuration: environment.start, split, perCell: 2, seed: 'a' };
    for await (const task of environment.probe(request)) yield { split, task };
  }
  for (const { name } of environment.suites)
    for (const task of (await suite(name)).tasks) yield { split: 'test', task };
}

/** All knobs at their easiest, and all at their hardest; shares stay. */
function ends({ descriptor, start }: Environment): Configuration[] {
  const shares = new Set(descriptor.sharesSum?.flatMap(({ knobs }) => knobs));
  const knobs = descriptor.knobs.filter(({ name }) => !shares.has(name));
  return (['min', 'max'] as const).map(
    (end) =>
      adjusted(
        descriptor,
        knobs.reduce((all, knob) => withKnob(all, knob, knob.range[end]), start),
      ).configuration,
  );
}

function keysOf(task: Task): string[] {
  const { symmetryDigest } = task;
  return symmetryDigest === undefined ? [taskDigest(task)] : [taskDigest(task), `symmetry ${symmetryDigest}`];
}

// The contract: aborting and closing.

function ending(bench: Bench): void {
  const requestOf = ({ start }: Environment, signal?: AbortSignal) => ({
    configuration: start,
    split: 'train' as const,
    count: bench.many,
    seed: 'ended',
    ...(signal === undefined ? {} : { signal }),
  });
  const aTry = async (environment: Environment): Promise<Try> => {
    const { tasks } = await collected(environment.generate({ ...requestOf(environment), count: 1 }));
    return { task: tasks[0] as Task, answer: bench.right(tasks[0] as Task) };
  };

  describe('stopping', () => {
    it('a generator that is not read to its end leaves the environment intact', async () => {
      const environment = bench.environment();
      const whole = await collected(environment.generate(requestOf(environment)));
      for await (const task of environment.generate(requestOf(environment))) {
        expect(task).toEqual(whole.tasks[0]);
        break;
      }
      expect(await collected(environment.generate(requestOf(environment)))).toEqual(whole);
    });

    it('an aborted request throws the reason, before the first task or in the middle', async () => {
      const environment = bench.environment();
      const reason = new Error('stopped by a person');
      const before = environment.generate(requestOf(environment, AbortSignal.abort(reason)));
      await expect(before.next()).rejects.toBe(reason);
      const stop = new AbortController();
      const tasks = environment.generate(requestOf(environment, stop.signal));
      await tasks.next();
      stop.abort(reason);
      await expect(tasks.next()).rejects.toBe(reason);
      expect((await tasks.next()).done).toBe(true);
    });

    it('aborted judging throws the reason, even while it waits for tries', async () => {
      const environment = bench.environment();
      const reason = new Error('stopped by a person');
      const tried = await aTry(environment);
      const never = Promise.withResolvers<void>();
      async function* stuck(): AsyncGenerator<Try, void, undefined> {
        yield tried;
        await never.promise;
      }
      const stop = new AbortController();
      const verdicts = environment.judge(stuck(), stop.signal);
      await verdicts.next();
      const waiting = verdicts.next();
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      never.resolve();
      expect(await listed(environment.judge([tried]))).toHaveLength(1);
    });
  });

  describe('closing', () => {
    it('close ends requests in progress, refuses later ones, and is idempotent', async () => {
      const environment = await bench.another();
      const tried = await aTry(environment);
      const tasks = environment.generate({ ...requestOf(environment), count: bench.many * 50 });
      await tasks.next();
      await Promise.all([environment.close(), environment.close()]);
      await environment.close();
      await expect(collected(tasks)).rejects.toThrow(EnvironmentClosed);
      await expect(environment.generate(requestOf(environment)).next()).rejects.toThrow(EnvironmentClosed);
      await expect(listed(environment.judge([tried]))).rejects.toThrow(EnvironmentClosed);
      const probe = { configuration: environment.start, split: 'probe', perCell: 1, seed: 'a' } as const;
      if (!bench.lacks?.includes('probe'))
        await expect(environment.probe(probe).next()).rejects.toThrow(EnvironmentClosed);
      for (const { name } of environment.suites)
        await expect(environment.suite(name).next()).rejects.toThrow(EnvironmentClosed);
      if (environment.draw !== undefined) await expect(environment.draw(tried.task)).rejects.toThrow(EnvironmentClosed);
      if (environment.solve !== undefined)
        await expect(environment.solve(tried.task)).rejects.toThrow(EnvironmentClosed);
      if (environment.prompt !== undefined)
        await expect(environment.prompt(tried.task)).rejects.toThrow(EnvironmentClosed);
    });
  });
}
