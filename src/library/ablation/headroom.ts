// Measures how much a good decision could gain in an environment: short runs, and an ablation of their decision by engineers that
// read nothing and by those that cheat. Repeating an interrupted measurement continues it.
import type { Headroom } from '../../../schemas/headroom-output.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { headroomOf } from '../../analysis/ablation/headroom.ts';
import { blindNames } from '../../lab/engineers/registry.ts';
import { digestOf } from '../../lab/environments/environment.ts';
import type { RunProgress } from '../experiment/advance.ts';
import { namesTaken } from '../experiment/names.ts';
import { withExperiment } from '../experiment/open.ts';
import { type RunOptions, resume, run } from '../experiment/run.ts';
import { badOption } from '../option-error.ts';
import type { Session } from '../session.ts';
import { type AblationProgress, ablate } from './ablate.ts';

/** How to measure headroom; the other settings are those of its runs. */
export interface HeadroomOptions
  extends Pick<RunOptions, 'file' | 'configuration' | 'budget' | 'validation' | 'jobs' | 'programs' | 'env'> {
  /** The training seeds (default 1 to 8). */
  readonly seeds?: readonly RunSettings['seed'][];
  readonly onProgress?: (progress: RunProgress | AblationProgress) => void | Promise<void>;
}

const usualSeeds: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8];

/** The first stage is given; the second is the decision that the arms make. */
const stages = 2;

export async function headroom(
  session: Session,
  environment: NonNullable<RunOptions['environment']>,
  { seeds = usualSeeds, onProgress, ...settings }: HeadroomOptions = {},
): Promise<Headroom> {
  if (seeds.length < 2) throw badOption('--seed', seeds.join(','), 'at least two seeds');
  const named = typeof environment === 'string' ? environment : 'name' in environment ? environment.name : 'program';
  const { jobs, programs, env, ...same } = settings;
  const name = `headroom-${named}-${digestOf({ environment, ...same }).slice(0, 6)}`;
  const progress = onProgress === undefined ? {} : { onProgress };
  const taken = await withExperiment(session, { create: true }, async ({ ledger }) => await namesTaken(ledger));
  for (const seed of seeds) {
    const own = `${name}-${seed}`;
    if (taken.has(own)) await resume(session, own, { ...settings, ...progress });
    else {
      const experiment = { environment, seed, stages, name: own, tags: [name], engineer: 'uniform', suites: [] };
      await run(session, { ...settings, ...experiment, context: 'stats', ...progress });
    }
  }
  const { registry } = await session.plugins.all();
  const upperBounds = [...registry.engineers.values()].flatMap((entry) =>
    entry.upperBoundOf?.includes(named) === true ? [entry.name] : [],
  );
  const runs = seeds.map((seed) => `${name}-${seed}`);
  const { file: _, configuration: __, budget: ___, validation: ____, ...work } = settings;
  const ablated = await ablate(session, runs, {
    ...{ ...work, ...progress, name: `${name}-${seeds.length}`, depth: 'train' },
    ...{ engineers: [...upperBounds, 'uniform'], baselines: blindNames },
  });
  return headroomOf(ablated, named, upperBounds);
}
