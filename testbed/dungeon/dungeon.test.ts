import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentContract, trainerContract } from 'icecore/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { collected } from '../../src/lab/environments/contract/tasks.ts';
import type { Environment, Rollout } from '../../src/lab/environments/environment.ts';
import { followed } from '../../src/lab/trainers/contract/trainer-contract.ts';
import { catacomb, type DungeonConfiguration, dungeon } from './environment.ts';
import {
  easyFamilies,
  type Family,
  familyNames,
  forFamilies,
  forHazards,
  hazardNames,
  hazards,
  hiddenHazards,
  type Room,
  wayThrough,
} from './rooms.ts';
import { drill } from './trainer.ts';

/** Nothing else is wrong in a room without hazards. */
const answers = {
  right: ({ instance }: { readonly instance: unknown }) => wayThrough(instance as Room),
  wrong: () => ['no actions', null, [], 7],
};

environmentContract(dungeon, answers);
environmentContract(catacomb, answers);

it('a walk is drawn step by step, up to the first wrong action', async () => {
  const opened: Environment = await dungeon.open({ knobs: [] });
  const instance = { hazards: ['ice', 'door'], number: 1 };
  const task = { id: 'a', family: 'north', instance, facts: {} };
  const drawn = await opened.draw?.(task, 'HJW');
  expect(drawn?.text).toBe('> o x > 3 actions');
  expect(drawn?.frames?.map(({ says }) => says)).toEqual([
    'start',
    'step 1: wait at the ice',
    'step 2: jump at the ice, which is passed',
    'step 3: walk at the door, which ends the walk',
  ]);
  expect(drawn?.frames?.map(({ svg }) => svg.includes('class="room-failed"'))).toEqual([false, false, false, true]);
  expect((await opened.draw?.(task, 'H'))?.frames?.at(-1)?.says).toBe(
    'step 2: no action at the ice, which ends the walk',
  );
  expect((await opened.draw?.(task))?.text).toBe('> . . >');
  expect((await opened.draw?.(task, 7))?.text).toBe('> . . > no actions');
  expect(await opened.solve?.(task)).toBe('HJTP');
  await opened.close();
});

const spread = configured(() => 0.15);

trainerContract(drill, {
  request: { configuration: spread, budget: { updates: 200 }, seed: 'seven' },
  overshoot: { updates: 1 },
});

function configured(of: (hazard: keyof typeof hazards, family: Family) => number, world = 1): DungeonConfiguration {
  return {
    families: forFamilies((family) => ({
      ...{ share: 1 / familyNames.length, length: 4 },
      ...forHazards((hazard) => of(hazard, family)),
    })),
    world,
  };
}

const worlds = [1, 2, 3, 4, 5, 6, 7, 8];
const folder = mkdtempSync(join(tmpdir(), 'icecore-dungeon-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function trained(configuration: DungeonConfiguration, seed: string, updates = 30): Promise<string> {
  const trainer = await drill.open({ hyperparameters: {}, plugin: 'dungeons' });
  const request = { configuration, from: null, budget: { updates }, seed };
  const place = mkdtempSync(join(folder, 'training-'));
  const { trained: result } = await followed(trainer.train({ ...request, folder: place }));
  await trainer.close();
  return result.checkpoint?.reference ?? '';
}

/** What a policy does in rooms as they are, of one world. */
async function played(environment: typeof dungeon, checkpoint: string, world: number, count = 600): Promise<Rollout[]> {
  const opened: Environment = await environment.open({ knobs: [], plugin: 'dungeons' });
  const configuration = { ...opened.start, world };
  const { tasks } = await collected(opened.generate({ configuration, split: 'validation', count, seed: 'any' }));
  const rollouts: Rollout[] = [];
  const policy = { name: 'walker', checkpoint };
  for await (const rollout of opened.rollout?.({ tasks, samples: 1, policy, seed: 'any' }) ?? [])
    rollouts.push(rollout);
  await opened.close();
  return rollouts;
}

const isSolved = ({ verdict }: Rollout): boolean => 'success' in verdict && verdict.success;
const classOf = ({ verdict }: Rollout): string => ('failures' in verdict ? (verdict.failures[0]?.class ?? '') : '');
const rateOf = (all: readonly Rollout[]): number => all.filter(isSolved).length / all.length;

/** The most frequent failure class of each family. */
function likeliest(all: readonly Rollout[], family: string): string {
  const counts = new Map<string, number>();
  for (const rollout of all.filter((one) => one.task.family === family && !isSolved(one)))
    counts.set(classOf(rollout), (counts.get(classOf(rollout)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

describe('the hidden hazards of a dungeon', () => {
  it('are one hazard for three families and another for the other three, shuffled by the world', () => {
    const hidden = Array.from({ length: 200 }, (_, world) => hiddenHazards(world));
    for (const one of hidden) {
      const counts = Object.values(Object.groupBy(Object.values(one), (hazard) => hazard)).map((all) => all.length);
      expect(counts).toEqual([3, 3]);
    }
    for (const family of familyNames)
      for (const hazard of hazardNames)
        expect(hidden.filter((one) => one[family] === hazard).length).toBeGreaterThan(200 / 6 / 2);
  });

  it('are independent of the three easier families, which are shuffled by the world as well', () => {
    const all = Array.from({ length: 200 }, (_, world) => ({
      hidden: hiddenHazards(world),
      easy: easyFamilies(world),
    }));
    for (const family of familyNames) {
      const easy = all.filter((one) => one.easy.includes(family));
      expect(easy.length).toBeGreaterThan(70);
      for (const hazard of hazardNames)
        expect(easy.filter(({ hidden }) => hidden[family] === hazard).length).toBeGreaterThan(5);
    }
  });

  it('do not show in success rates: all families fail about equally often', async () => {
    for (const world of worlds) {
      const all = await played(
        dungeon,
        await trained(
          configured(() => 0.15, world),
          `rates ${world}`,
        ),
        world,
      );
      const rates = familyNames.map((family) => rateOf(all.filter(({ task }) => task.family === family)));
      expect(Math.max(...rates) - Math.min(...rates)).toBeLessThan(0.25);
    }
  });

  it('show in the most frequent failure class of every family', async () => {
    for (const world of worlds) {
      const all = await played(
        dungeon,
        await trained(
          configured(() => 0.15, world),
          `classes ${world}`,
        ),
        world,
      );
      const hidden = hiddenHazards(world);
      for (const family of familyNames) expect(likeliest(all, family)).toBe(hazards[hidden[family]].failure);
    }
  });
});

describe('the catacomb', () => {
  it('has the same rooms, answers and successes as the dungeon, and other failure classes', async () => {
    const checkpoint = await trained(spread, 'the same');
    const [one, other] = [await played(dungeon, checkpoint, 1), await played(catacomb, checkpoint, 1)];
    expect(other.map(({ task, answer }) => ({ task, answer }))).toEqual(
      one.map(({ task, answer }) => ({ task, answer })),
    );
    expect(other.map(isSolved)).toEqual(one.map(isSolved));
    expect(other.map(classOf)).not.toEqual(one.map(classOf));
  });

  it('has equally frequent failure classes in every family, which reveal nothing about the hazard', async () => {
    const checkpoint = await trained(spread, 'nothing');
    const failed = (await played(catacomb, checkpoint, 1, 6000)).filter((one) => !isSolved(one));
    const groups = [...familyNames.map((family) => failed.filter(({ task }) => task.family === family)), failed];
    for (const group of groups)
      for (const hazard of hazardNames) {
        const share = group.filter((one) => classOf(one) === hazards[hazard].failure).length / group.length;
        expect(Math.abs(share - 1 / 6)).toBeLessThan(4 * Math.sqrt(5 / 36 / group.length));
      }
  });
});

describe('training', () => {
  it('on the hidden hazards beats training spread over all of them', async () => {
    for (const world of worlds.slice(0, 3)) {
      const hidden = hiddenHazards(world);
      const aimed = configured((hazard, family) => (hazard === hidden[family] ? 0.9 : 0), world);
      const rates = [configured(() => 0.15, world), aimed].map(async (one) =>
        rateOf(await played(dungeon, await trained(one, `reach ${world}`, 60), world)),
      );
      const [wide = 1, narrow = 0] = await Promise.all(rates);
      expect(narrow - wide).toBeGreaterThan(0.3);
    }
  });

  it('on one hazard makes the policy worse at another', async () => {
    const world = 1;
    const { north } = hiddenHazards(world);
    const configuration = configured((hazard) => (hazard === north ? 0.9 : 0), world);
    const untouched = rateAt(await played(dungeon, await trained(spread, 'before', 1), world), north);
    const after = rateAt(await played(dungeon, await trained(configuration, 'after', 60), world), north);
    expect(after).toBeLessThan(untouched);
  });

  /** How many of the walks that met another hazard first passed its first phase. */
  function rateAt(all: readonly Rollout[], practised: string): number {
    const others = all.filter(({ task }) => {
      const [first] = (task.instance as unknown as Room).hazards;
      return first !== undefined && first !== practised;
    });
    return others.filter(({ answer }) => String(answer).length > 1).length / others.length;
  }
});
