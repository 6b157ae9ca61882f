// The ablation of docs/controls.md: what each part of the evidence is worth to each engineer, on both controls and on the lake. `npm run flagship`
// writes one file of results for each environment; the same command continues a stopped one.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeWhole } from '../../src/base/write-whole.ts';
import { type AblateOptions, openWorkspace, type RunOptions, type Workspace } from '../../src/index.ts';
import { run as controlRun } from './protocol.ts';
import { configurationOf } from './set.ts';

const seeds = 16;
const tag = 'flagship';

interface Subject {
  /** Seeds that neither tuning nor the controls used. */
  readonly firstSeed: number;
  readonly settings: (seed: number) => RunOptions;
  readonly upperBounds: readonly string[];
}

const dungeonLike = (environment: string): Subject['settings'] => {
  return (seed) => ({ ...controlRun, environment, configuration: configurationOf(seed), suites: [] });
};

const subjects: Readonly<Record<string, Subject>> = {
  dungeon: { firstSeed: 30_001, settings: dungeonLike('dungeon'), upperBounds: ['oracle'] },
  catacomb: { firstSeed: 30_001, settings: dungeonLike('catacomb'), upperBounds: ['oracle'] },
  lake: {
    firstSeed: 30_001,
    settings: () => ({
      ...{ environment: 'lake', engineer: 'fixed', stages: 2, budget: { 'agent-steps': 200_000 }, suites: [] },
      ...{ validation: 400, perCell: 2, samples: 2, trained: 0, exemplars: 6 },
    }),
    upperBounds: [],
  },
};

const readers = ['rules', 'base', 'checkpoint'];
const others = [
  'stats',
  'behaviour',
  'failures+stats',
  'failures+behaviour',
  'stats+behaviour',
  'failures+stats+behaviour',
];
const toUniform = (form: string): readonly string[] => readers.map((engineer) => `${engineer}/${form}:uniform`);

const ablation: AblateOptions = {
  ...{ name: tag, tag, decisions: [2], depth: 'train', measure: 'validation', margin: 0.02 },
  factorial: ['failures', 'stats', 'behaviour'],
  contrasts: [
    ...toUniform('failures'),
    ...readers.map((engineer) => `${engineer}/failures:${engineer}/stats`),
    ...others.flatMap(toUniform),
    'engineer',
  ],
  baselines: ['uniform', 'static-small'],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string', default: 'flagship' } },
});
const folder = resolve(values.folder);
mkdirSync(folder, { recursive: true });

for (const [name, subject] of Object.entries(subjects)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const began = performance.now();
  const cwd = join(folder, name);
  mkdirSync(cwd, { recursive: true });
  await using workspace = await openWorkspace({ cwd, config: false });
  await workspace.init({});
  await recordHistories(workspace, subject);
  const engineers = [...readers, ...subject.upperBounds];
  const ablated = await workspace.ablate([], { ...ablation, engineers });
  await writeWhole(join(folder, `${name}.json`), Buffer.from(JSON.stringify(ablated)));
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${name}: ${seeds} seeds, ${ablated.arms.length} arms, ${seconds} s`);
  for (const conclusion of ablated.conclusions) console.log(`  ${conclusion}`);
}

async function recordHistories(workspace: Workspace, { firstSeed, settings }: Subject): Promise<void> {
  const { rows } = await workspace.runs();
  const recorded = new Set(rows.map(({ name }) => name));
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const name = `${tag}-${seed}`;
    if (recorded.has(name)) await workspace.resume(name);
    else await workspace.run({ ...settings(seed), name, seed, tags: [tag], context: 'failures', contextTokens: 0 });
  }
}
