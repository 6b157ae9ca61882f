// What a plugin may do wrong at a task: icecore says whose fault it is, and where.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collected, listed } from '../../lab/environments/contract/tasks.ts';
import type { Environment, Task } from '../../lab/environments/environment.ts';
import { engineers } from '../../producers/engineers/engineers.ts';
import { BadPlugin, defineEngineer, defineEnvironment, definePlugin, registryOf } from './index.ts';

interface Change {
  readonly generate?: (side: number) => unknown;
  readonly judge?: (tried: { instance: { side: number; seen: number[] }; answer: unknown }) => unknown;
  readonly seconds?: number;
}

/** Guess the side. */
async function opened({ generate, judge, seconds }: Change): Promise<Environment> {
  const coins = defineEnvironment({
    ...{ name: 'coins', summary: 'heads or tails', families: { fair: 'one half' }, knobs: {} },
    start: { families: { fair: { share: 1 } } },
    ...{ outcomes: { right: 'right', wrong: 'wrong' }, failureClasses: { wrong: 'another side' } },
    ...(seconds === undefined ? {} : { seconds }),
    instance: z.strictObject({ side: z.int(), seen: z.array(z.int()) }),
    generate: ({ random }) => {
      const side = random.below(1000);
      return (generate === undefined ? { side, seen: [] } : generate(side)) as { side: number; seen: number[] };
    },
    judge: (tried) => (judge ?? (() => ({ outcome: 'right' })))(tried) as { outcome: 'right' },
  });
  const registry = registryOf([definePlugin({ name: 'acme', environments: [coins] })]);
  return (await registry.environments.get('coins')?.open({ knobs: [] })) as Environment;
}

async function madeBy(environment: Environment): Promise<readonly Task[]> {
  const request = { configuration: environment.start, split: 'train', count: 2, seed: 'a' } as const;
  return (await collected(environment.generate(request))).tasks;
}

async function judgedBy(judge: Change['judge'], seconds?: number): Promise<unknown> {
  const environment = await opened({
    ...(judge === undefined ? {} : { judge }),
    ...(seconds === undefined ? {} : { seconds }),
  });
  const [task] = await madeBy(environment);
  return await listed(environment.judge([{ task: task as Task, answer: 1 }]));
}

const who = 'the environment coins of the plugin acme';

describe('a generator', () => {
  it.each([
    [
      'an instance of another shape',
      (side: number) => ({ side: `${side}`, seen: [] }),
      'generate: instance.side: found "',
    ],
    ['what is no object', () => 7, 'generate: instance: found 7'],
    ['nothing at all', () => undefined, 'generate: instance: found nothing'],
  ])('that gives %s is at fault', async (_, generate, says) => {
    await expect(madeBy(await opened({ generate }))).rejects.toThrow(`${who}: ${says}`);
  });

  it('that throws is at fault, and no rollout fails for it', async () => {
    const generate = (): never => {
      throw new TypeError('no coins');
    };
    await expect(madeBy(await opened({ generate }))).rejects.toThrow(`${who}: generate threw TypeError: no coins`);
  });

  it('that never makes another task ends with a shortage', async () => {
    const environment = await opened({ generate: () => null });
    const request = { configuration: environment.start, split: 'test', count: 3, seed: 'a' } as const;
    const { tasks, shortages } = await collected(environment.generate(request));
    expect([tasks.length, shortages]).toEqual([0, [expect.objectContaining({ asked: 3, achieved: 0 })]]);
  });
});

describe('a judge', () => {
  it.each([
    ['another outcome', () => ({ outcome: 'heads' }), 'judge: verdict.outcome: found "heads"'],
    [
      'an unknown failure',
      () => ({ outcome: 'wrong', failures: [{ class: 'edge' }] }),
      'judge: verdict.failures[0].class',
    ],
    ['nothing', () => undefined, 'judge: verdict.outcome: found nothing'],
    ['a measure that is no number', () => ({ outcome: 'right', metrics: { far: 'very' } }), 'judge: verdict.metrics'],
  ])('that gives %s is at fault', async (_, judge, says) => {
    await expect(judgedBy(judge)).rejects.toThrow(`${who}: ${says}`);
  });

  it('that changes what it was handed is at fault', async () => {
    const judging = judgedBy(({ instance }) => {
      instance.seen.push(1);
      return { outcome: 'right' };
    });
    await expect(judging).rejects.toThrow(`${who}: judge threw TypeError`);
  });

  it('that never answers is at fault after its time', async () => {
    const judging = judgedBy(() => new Promise(() => {}), 0.05);
    await expect(judging).rejects.toThrow(`${who}: judge did not come back within 0.05 s`);
  });

  it('that never answers is left when somebody stops', async () => {
    const environment = await opened({ judge: () => new Promise(() => {}) });
    const [task] = await madeBy(environment);
    const stop = new AbortController();
    const judging = listed(environment.judge([{ task: task as Task, answer: 1 }], stop.signal));
    stop.abort(new Error('stopped by a person'));
    await expect(judging).rejects.toThrow('stopped by a person');
  });
});

it.each(Object.keys(engineers))('an engineer cannot be called %s: icecore has one of that name', (name) => {
  const engineer = defineEngineer({ name, summary: 'another', open: async () => ({}) as never, reads: [] });
  expect(() => registryOf([definePlugin({ name: 'acme', engineers: [engineer] })])).toThrow(BadPlugin);
});
