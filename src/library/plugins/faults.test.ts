// Faults of plugins: icecore says which part is at fault, and where.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { z as zod3 } from 'zod/v3';
import { engineers } from '../../lab/engineers/registry.ts';
import { collected, listed } from '../../lab/environments/contract/tasks.ts';
import type { Environment, Task } from '../../lab/environments/environment.ts';
import type { TrainRequest } from '../../lab/trainers/trainer.ts';
import {
  BadPlugin,
  defineEngineer,
  defineEnvironment,
  definePlugin,
  definePolicy,
  defineTrainer,
  NameTaken,
  type PlayResult,
  type Plugin,
  registryOf,
  type TrainerDefinition,
} from './index.ts';

interface Change {
  readonly generate?: (side: number) => unknown;
  readonly judge?: (tried: { instance: { side: number; seen: number[] }; answer: unknown }) => unknown;
  readonly play?: () => unknown;
  readonly draw?: () => unknown;
  readonly solve?: () => unknown;
  readonly seconds?: number;
}

/** Guess the side. */
async function opened({ generate, judge, play, draw, solve, seconds }: Change): Promise<Environment> {
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
    ...(play === undefined ? {} : { player: () => play as () => PlayResult }),
    ...(draw === undefined ? {} : { draw: draw as () => string }),
    ...(solve === undefined ? {} : { solve }),
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
    ['a value that is not an object', () => 7, 'generate: instance: found 7'],
    ['nothing', () => undefined, 'generate: instance: found nothing'],
  ])('that gives %s is at fault', async (_, generate, says) => {
    await expect(madeBy(await opened({ generate }))).rejects.toThrow(`${who}: ${says}`);
  });

  it('that throws is at fault', async () => {
    const generate = (): never => {
      throw new TypeError('out of coins');
    };
    await expect(madeBy(await opened({ generate }))).rejects.toThrow(`${who}: generate threw TypeError: out of coins`);
  });

  it('that makes no task ends with a shortage', async () => {
    const environment = await opened({ generate: () => null });
    const request = { configuration: environment.start, split: 'test', count: 3, seed: 'a' } as const;
    const { tasks, shortages } = await collected(environment.generate(request));
    expect([tasks.length, shortages]).toEqual([0, [expect.objectContaining({ asked: 3, achieved: 0 })]]);
  });
});

describe('a player', () => {
  async function playedBy(play: () => unknown): Promise<readonly unknown[]> {
    const environment = await opened({ play });
    const tasks = await madeBy(environment);
    return await listed(environment.rollout?.({ tasks, samples: 1, policy: { name: 'guesser' }, seed: 'a' }) as never);
  }

  it('may report the certainty of the policy', async () => {
    const sureness = { logProbability: -0.7, entropy: 0.69, value: 0.5 };
    const [first] = await playedBy(() => ({ answer: 1, agentSteps: 1, sureness }));
    expect(first).toMatchObject({ answer: 1, agentSteps: 1, sureness });
    expect((await playedBy(() => ({ answer: 1 })))[0]).not.toHaveProperty('sureness');
  });

  it.each([
    ['a step that is not whole', { agentSteps: 0.5 }, 'play: agentSteps: found 0.5'],
    [
      'a probability of zero',
      { sureness: { logProbability: Number.NEGATIVE_INFINITY, entropy: 0 } },
      'play: sureness.logProbability',
    ],
    ['no entropy', { sureness: { logProbability: -1, entropy: 'high' } }, 'play: sureness.entropy: found "high"'],
  ])('that gives %s is at fault', async (_, report, says) => {
    await expect(playedBy(() => ({ answer: 1, ...report }))).rejects.toThrow(`${who}: ${says}`);
  });
});

describe('a drawing', () => {
  async function drawnBy(draw: () => unknown): Promise<unknown> {
    const environment = await opened({ draw });
    const [task] = await madeBy(environment);
    return await environment.draw?.(task as Task);
  }

  it('may have a frame for each step', async () => {
    const frames = [{ svg: '<svg/>', says: 'start' }];
    expect(await drawnBy(() => ({ text: 'o', frames }))).toEqual({ text: 'o', frames });
  });

  it.each([
    ['no text', {}, 'draw: text: found nothing'],
    ['a frame without a caption', { text: 'o', frames: [{ svg: '<svg/>' }] }, 'draw: frames[0]: found an object'],
    ['a frame that is nothing', { text: 'o', frames: [null] }, 'draw: frames[0]: found null'],
  ])('with %s is at fault', async (_, drawing, says) => {
    await expect(drawnBy(() => drawing)).rejects.toThrow(`${who}: ${says}`);
  });

  it('needs no best answer: solve may return null, and is at fault if it throws', async () => {
    const solvedBy = async (solve: () => unknown): Promise<unknown> => {
      const environment = await opened({ solve });
      const [task] = await madeBy(environment);
      return await environment.solve?.(task as Task);
    };
    expect([await solvedBy(() => 3), await solvedBy(() => null)]).toEqual([3, null]);
    const lost = (): never => {
      throw new TypeError('no idea');
    };
    await expect(solvedBy(lost)).rejects.toThrow(`${who}: solve threw TypeError: no idea`);
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
    [
      'a measure that is not a number',
      () => ({ outcome: 'right', metrics: { far: 'very' } }),
      'judge: verdict.metrics',
    ],
  ])('that gives %s is at fault', async (_, judge, says) => {
    await expect(judgedBy(judge)).rejects.toThrow(`${who}: ${says}`);
  });

  it('that changes its input is at fault', async () => {
    const judging = judgedBy(({ instance }) => {
      instance.seen.push(1);
      return { outcome: 'right' };
    });
    await expect(judging).rejects.toThrow(`${who}: judge threw TypeError`);
  });

  it('that never answers is at fault after its time limit', async () => {
    const judging = judgedBy(() => new Promise(() => {}), 0.05);
    await expect(judging).rejects.toThrow(`${who}: judge did not come back within 0.05 s`);
  });

  it('that never answers is abandoned on abort', async () => {
    const environment = await opened({ judge: () => new Promise(() => {}) });
    const [task] = await madeBy(environment);
    const stop = new AbortController();
    const judging = listed(environment.judge([{ task: task as Task, answer: 1 }], stop.signal));
    stop.abort(new Error('stopped by a person'));
    await expect(judging).rejects.toThrow('stopped by a person');
  });
});

it.each(Object.keys(engineers))('an engineer cannot be called %s: icecore uses that name', (name) => {
  const engineer = defineEngineer({ name, summary: 'another', open: async () => ({}) as never, reads: [] });
  expect(() => registryOf([definePlugin({ name: 'acme', engineers: [engineer] })])).toThrow(BadPlugin);
});

describe('a trainer', () => {
  type Flips = TrainerDefinition<number, never>;

  async function trainedBy(
    update: unknown,
    change: Partial<Flips> = {},
    more: Partial<Pick<TrainRequest, 'budget' | 'families' | 'signal'>> = {},
  ): Promise<unknown> {
    const flips = defineTrainer({
      ...{ name: 'flips', summary: 'flips', state: z.number(), seconds: 0.05, begin: () => 0 },
      update: update as Flips['update'],
      ...change,
    });
    const registry = registryOf([definePlugin({ name: 'acme', trainers: [flips] })]);
    const trainer = await registry.trainers.get('flips')?.open({ hyperparameters: {} });
    const folder = mkdtempSync(join(tmpdir(), 'icecore-faults-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const configuration = { families: { fair: { share: 1 } } };
    const request = { configuration, budget: { updates: 2 }, seed: 'a', from: null, folder };
    const training = trainer?.train({ ...request, ...more });
    for (;;) {
      const next = await training?.next();
      if (next?.done !== false) return next?.value;
    }
  }

  const good = ({ state }: { readonly state: number }) => ({ state: state + 1, agentSteps: 1, groups: [] });

  it.each<[string, unknown, string]>([
    ['throws', () => Promise.reject(new Error('out of coins')), 'update 1 threw Error: out of coins'],
    ['never answers', () => new Promise(() => {}), 'update 1 did not come back within 0.05 s'],
    ['gives another state', () => ({ ...good({ state: 0 }), state: 'one' }), 'update 1: state: found "one"'],
    ['returns an invalid value', () => 7, 'update 1: agentSteps: found nothing'],
    [
      'changes its input',
      ({ configuration }: { configuration: object }) => Object.assign(configuration, { more: 1 }),
      'update 1 threw TypeError',
    ],
  ])('that %s is at fault', async (_, update, says) => {
    await expect(trainedBy(update)).rejects.toThrow(`the trainer flips of the plugin acme: ${says}`);
  });

  it.each<[string, unknown, string]>([
    [
      'more valid rollouts than rewards',
      { family: 'fair', rewards: [1, 1], valid: 5 },
      'groups[0].valid: found 5 (a number), allowed: a whole number from 0 to 2, the number of its rewards',
    ],
    ['a negative number of valid rollouts', { family: 'fair', rewards: [1], valid: -1 }, 'groups[0].valid: found -1'],
    [
      'no rewards',
      { family: 'fair', rewards: [], valid: 0 },
      'groups[0].rewards: found a list of 0, allowed: a list of at least one number',
    ],
    [
      'a reward that is not a number',
      { family: 'fair', rewards: [0, Number.NaN], valid: 1 },
      'groups[0].rewards[1]: found NaN, allowed: a finite number',
    ],
    [
      'a missing reward',
      { family: 'fair', rewards: new Array(2), valid: 1 },
      'groups[0].rewards[0]: found nothing, allowed: a finite number',
    ],
    [
      'a misspelt family',
      { family: 'fiar', rewards: [0, 1], valid: 1 },
      'groups[0].family: found "fiar" (a string), allowed: a family of the environment, perhaps "fair"',
    ],
    [
      'an unknown family',
      { family: 'dice', rewards: [0, 1], valid: 1 },
      'groups[0].family: found "dice" (a string), allowed: a family of the environment: fair, bent',
    ],
    ['nothing', null, 'groups[0]: found null, allowed: an object with family, rewards and valid'],
  ])('that reports a group with %s is at fault', async (_, group, says) => {
    const update = ({ state }: { readonly state: number }) => ({
      ...good({ state }),
      groups: state === 0 ? [{ family: 'bent', rewards: [0, 1], valid: 2 }] : [group],
    });
    await expect(trainedBy(update, {}, { families: ['fair', 'bent'] })).rejects.toThrow(
      `the trainer flips of the plugin acme: update 2: ${says}`,
    );
  });

  it('may report any family if those of the environment are not known', async () => {
    const update = () => ({ ...good({ state: 0 }), groups: [{ family: 'dice', rewards: [0, 1], valid: 1 }] });
    await expect(trainedBy(update)).resolves.toMatchObject({ sampled: [{ family: 'dice', tasks: 2 }] });
  });

  describe('without agent steps', () => {
    const rarely = ({ state, update }: { readonly state: number; readonly update: number }) => ({
      ...good({ state }),
      agentSteps: update % 100 === 0 ? 1 : 0,
    });
    const idle = () => ({ ...good({ state: 0 }), agentSteps: 0 });

    it('is at fault after 100 updates in a row, if nothing else can use up its budget', async () => {
      await expect(trainedBy(idle, {}, { budget: { 'agent-steps': 5 } })).rejects.toThrow(
        'the trainer flips of the plugin acme: update 100: agentSteps: found 0 in each of the last 100 updates, allowed: more than 0, because the budget of the training is in agent-steps alone',
      );
    });

    it('may train for fewer updates, or with a budget in updates', async () => {
      await expect(trainedBy(rarely, {}, { budget: { 'agent-steps': 2 } })).resolves.toMatchObject({
        spent: { updates: 200 },
      });
      const budget = { 'agent-steps': 5, updates: 150 };
      await expect(trainedBy(idle, {}, { budget })).resolves.toMatchObject({ spent: { updates: 150 } });
    });
  });

  it('that begins with an invalid state is at fault', async () => {
    await expect(trainedBy(good, { begin: () => 'zero' as never })).rejects.toThrow('begin: state: found "zero"');
  });

  it('that never answers is abandoned on abort', async () => {
    const stop = new AbortController();
    const training = trainedBy(() => new Promise(() => {}), { seconds: 600 }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped by a person')), 20);
    await expect(training).rejects.toThrow('stopped by a person');
  });

  it('may use a schema of zod 3', async () => {
    await expect(trainedBy(good, { state: zod3.number() as never })).resolves.toMatchObject({ spent: { updates: 2 } });
    const wrong = () => ({ ...good({ state: 0 }), state: 'one' });
    await expect(trainedBy(wrong, { state: zod3.number() as never })).rejects.toThrow('update 1: state: found "one"');
  });
});

it('an environment may use schemas of zod 3', async () => {
  const coins = defineEnvironment({
    ...{ name: 'coins', summary: 'heads or tails', families: { fair: 'one half' }, knobs: {} },
    start: { families: { fair: { share: 1 } } },
    ...{ outcomes: { right: 'right', wrong: 'wrong' }, failureClasses: { wrong: 'another side' } },
    instance: zod3.object({ side: zod3.number() }) as unknown as z.ZodType<{ side: number }>,
    answer: zod3.number() as unknown as z.ZodType<number>,
    generate: ({ random }) => ({ side: random.below(1000) }),
    judge: ({ instance, answer }) =>
      answer === instance.side ? { outcome: 'right' } : { outcome: 'wrong', failures: [{ class: 'wrong' }] },
  });
  const registry = registryOf([definePlugin({ name: 'acme', environments: [coins] })]);
  const environment = (await registry.environments.get('coins')?.open({ knobs: [] })) as Environment;
  const [task] = await madeBy(environment);
  const judged = await listed(environment.judge([{ task: task as Task, answer: 'heads' }]));
  expect(judged).toMatchObject([{ outcome: 'wrong' }]);
});

describe.each(['environments', 'policies', 'trainers', 'engineers'] as const)('registering %s', (part) => {
  const whole = { name: 'one', summary: 'one', reads: [], open: async () => ({}) };

  function registered(...plugins: readonly Readonly<Record<string, unknown>>[]) {
    return registryOf(plugins as unknown as readonly Plugin[]);
  }

  it.each([
    ['without a name', { ...whole, name: undefined }, '[0].name: found undefined'],
    ['with a blank in its name', { ...whole, name: 'a b' }, '[0].name: found "a b"'],
    ['without open', { ...whole, open: 7 }, '[0].open: found number, allowed: a function'],
    ['that is nothing', null, '[0].name: found undefined'],
  ])('one %s is refused', (_, entry, says) => {
    const register = () => registered({ name: 'acme', [part]: [entry] });
    expect(register).toThrow(BadPlugin);
    expect(register).toThrow(`the plugin acme, ${part}${says}`);
  });

  it('refuses two of one name, and blames an entry whose open fails', async () => {
    const register = () => registered({ name: 'a', [part]: [whole] }, { name: 'b', [part]: [whole] });
    expect(register).toThrow(NameTaken);
    const entry = registered({ name: 'acme', [part]: [whole] })[part].get('one');
    await expect(entry?.open({} as never)).rejects.toThrow('one of the plugin acme: open: ');
    const throws = { ...whole, open: async () => Promise.reject(new Error('no licence')) };
    const other = registered({ name: 'acme', [part]: [throws] })[part].get('one');
    await expect(other?.open({} as never)).rejects.toThrow('one of the plugin acme: open threw Error: no licence');
  });
});

describe('a port that a plugin opens', () => {
  const boom = () => {
    throw new TypeError('boom');
  };
  const descriptor = { environment: 'odd' };
  const port = Object.freeze({
    descriptor,
    check: boom,
    draw: async () => boom(),
    async *generate() {
      yield 1;
      boom();
    },
    async *judge(_: unknown, signal: AbortSignal) {
      yield 1;
      signal.throwIfAborted();
    },
    close: async () => {},
  });
  async function opened(): Promise<Environment> {
    const entry = { name: 'odd', summary: 'odd', open: async () => port as unknown as Environment };
    const registry = registryOf([definePlugin({ name: 'acme', environments: [entry] })]);
    return (await registry.environments.get('odd')?.open({ knobs: [] })) as Environment;
  }

  it('names its plugin and the method if that throws: synchronously, asynchronously or while iterating', async () => {
    const environment = await opened();
    const message = (call: string) => `the environment odd of the plugin acme: ${call} threw TypeError: boom`;
    expect(() => environment.check({})).toThrow(message('check'));
    await expect(environment.draw?.({} as Task)).rejects.toThrow(message('draw'));
    const tasks = environment.generate({} as never);
    expect(await tasks.next()).toEqual({ value: 1, done: false });
    await expect(tasks.next()).rejects.toThrow(message('generate'));
  });

  it('passes on the reason of an abort', async () => {
    const stopping = new AbortController();
    const verdicts = (await opened()).judge([], stopping.signal);
    await verdicts.next();
    stopping.abort(new Error('enough'));
    await expect(verdicts.next()).rejects.toThrow(/^enough$/);
  });
});

it('a policy is used unchanged', () => {
  const open = async () => ({}) as never;
  expect(definePolicy({ name: 'walk', summary: 'walks', open })).toEqual({ name: 'walk', summary: 'walks', open });
});
