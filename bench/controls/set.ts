// One set of seeds: the runs, their ablation, and what came of it.
import type { Workspace } from '../../src/index.ts';
import { familyNames, forFamilies, forHazards } from '../../testbed/dungeon/rooms.ts';
import {
  baselines,
  type Control,
  contrasts,
  controls,
  firstPractice,
  level,
  readers,
  run,
  seedsOfASet,
  upperBound,
} from './protocol.ts';

interface ContrastResult {
  readonly contrast: string;
  /** In points. */
  readonly difference: number;
  /** Corrected; null if there was nothing to test. */
  readonly p: number | null;
}

export interface SetResult {
  readonly set: number;
  readonly seeds: readonly number[];
  readonly contrasts: readonly ContrastResult[];
  /** The validation rate of each seed in percent, by arm. */
  readonly rates: Readonly<Record<string, readonly number[]>>;
}

export function seedsOf(control: Control, set: number): readonly number[] {
  const first = controls[control].firstSeed + (set - 1) * seedsOfASet;
  return Array.from({ length: seedsOfASet }, (_, i) => first + i);
}

export async function runSet(workspace: Workspace, control: Control, set: number): Promise<SetResult> {
  const { environment } = controls[control];
  const seeds = seedsOf(control, set);
  await workspace.init({});
  for (const seed of seeds) {
    await workspace.run({
      ...run,
      ...{ environment, name: `seed-${seed}`, seed, tags: ['set'], configuration: configurationOf(seed) },
      ...{ suites: [], context: 'failures', contextTokens: 0, record: 'evaluation', jobs: 1 },
    });
  }
  const { comparisons, values, arms, units } = await workspace.ablate([], {
    ...{ tag: 'set', decisions: [2], depth: 'train', measure: 'validation', level, jobs: 1 },
    ...{ engineers: [...readers, upperBound], contexts: ['failures', 'stats'], baselines, contrasts },
  });
  const unitOf = (seed: number): string | undefined => units.find((one) => String(one.seed) === String(seed))?.unit;
  return {
    ...{ set, seeds },
    contrasts: contrasts.map((contrast) => {
      const [arm, reference] = contrast.split(':');
      const found = comparisons.find((one) => one.declared && one.arm === arm && one.reference === reference);
      return {
        contrast,
        difference: 100 * (typeof found?.difference === 'number' ? found.difference : 0),
        p: typeof found?.adjusted === 'number' ? found.adjusted : null,
      };
    }),
    rates: Object.fromEntries(
      arms.map(({ arm }) => [
        arm,
        seeds.map((seed) => {
          const value = values.find(
            (one) => one.arm === arm && one.measure === 'validation' && one.unit === unitOf(seed),
          );
          return 100 * Number(value?.value);
        }),
      ]),
    ),
  };
}

/** Every family alike, and every hazard practised as much. */
export function configurationOf(world: number) {
  const share = 1 / familyNames.length;
  return { families: forFamilies(() => ({ share, length: 4, ...forHazards(() => firstPractice) })), world };
}
