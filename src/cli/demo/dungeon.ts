// The second half of the demo: an ablation in a dungeon, whose failures alone say what to practise. It has a ledger of its own, so
// that the first half remains the history of one run.
import { existsSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ablated } from '../../../schemas/ablation-output.ts';
import { counted } from '../../base/quantity.ts';
import { readAblation } from '../../library/ablation/ablate.ts';
import { workspaceName } from '../../library/place/workspace-folder.ts';
import type { Session } from '../../library/session.ts';

export const dungeonRun = 'second-run';
const ablationName = 'shown-failures';

const ledger = `${workspaceName}/dungeon.db`;
const runFile = 'dungeon.json';
const engineer = 'checkpoint';
const modules = ['failures', 'stats'] as const;
/** Every difference of one sign is then significant: p < 0.01. */
const seeds = '1-8';

const families = ['north', 'east', 'south', 'west', 'upper', 'lower'];
const hazards = ['door', 'ice', 'fuse', 'gate', 'current', 'narrow'];

/** All families and all hazards alike, as in the controls of docs/controls.md; few tasks, so that it takes seconds. */
const settings = {
  environment: 'dungeon',
  configuration: {
    families: Object.fromEntries(
      families.map((family) => [
        family,
        { share: 1 / families.length, length: 4, ...Object.fromEntries(hazards.map((hazard) => [hazard, 0.15])) },
      ]),
    ),
    world: 0,
  },
  ...{ name: dungeonRun, engineer: 'fixed', stages: 2, suites: [] },
  ...{ validation: 60, perCell: 20, samples: 1, trained: 0 },
};

/** Never through a link in its place. */
export function writeRunFile(folder: string): void {
  const file = join(folder, runFile);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
    writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`, { flag: 'wx' });
}

export const inDungeonLedger = ['--ledger', `sqlite:${ledger}`];

export const dungeonLedger = (folder: string): string => join(folder, ledger);

export function runDungeon(isBegun: boolean): readonly string[] {
  return isBegun ? ['resume', ...inDungeonLedger, dungeonRun] : ['run', ...inDungeonLedger, '--file', runFile];
}

export const ablateDungeon: readonly string[] = [
  ...[
    'ablate',
    ...inDungeonLedger,
    `${dungeonRun}@2`,
    '--factorial',
    modules.join(','),
    '--engineer',
    `${engineer},oracle`,
  ],
  ...['--baselines', 'uniform', '--depth', 'train', '--contrast', `${engineer}/failures:uniform`],
  ...['--seed', seeds, '--name', ablationName],
];

/** What the ablation found, in a sentence. */
export async function dungeonFinding(session: Session, folder: string): Promise<string> {
  const inside = { ...session, ledger: `sqlite:${dungeonLedger(folder)}`, notify: async () => {} };
  return findingOf(await readAblation(inside, ablationName));
}

export function findingOf({ results }: Pick<Ablated, 'results'>): string {
  const rateOf = (shown: string): number => {
    const found = results.find(
      ({ arm, measure, statistic }) =>
        arm === `${engineer}/${shown}` && measure === 'validation' && statistic === 'mean',
    );
    return 100 * Number(found?.value);
  };
  const [none, failures, stats] = [rateOf('none'), rateOf('failures'), rateOf('stats')];
  const points = (value: number): string => counted(Math.round(value), 'point');
  const added = Math.abs(stats - none) < 0.05 ? 'nothing' : points(stats - none);
  return `Failures gain ${points(failures - none)} over the policy's behaviour alone, such as success rates; stats (what the tasks look like) add ${added}.`;
}

/** In a clone the whole experiment can be repeated, in an installed package its results can be read. */
export function wholeExperiment(): string {
  const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const isClone = existsSync(at('../../../bench/controls/flagship.ts'));
  return `The whole experiment: ${isClone ? 'npm run flagship, docs/controls.md' : at('../../../../docs/controls.md')}`;
}
