// How much the choice of training lakes can gain, over starts, budgets, numbers of agents and hyper-parameters: `npm run headroom`. One training
// for each cell, mixture and seed, in one thread, each in a file of its own; the same command continues a stopped one and prints the table.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeWhole } from '../../src/base/write-whole.ts';
import type { Checkpoint } from '../../src/lab/policies/policy.ts';
import { openGrpo } from '../../testbed/grpo/grpo.ts';
import type { LakeConfiguration } from '../../testbed/lake/configuration.ts';
import { generate } from '../../testbed/lake/generator/generate.ts';
import type { Made } from '../../testbed/lake/generator/maker.ts';
import { judge } from '../../testbed/lake/judge.ts';
import { readCheckpoint, valuesOf } from '../../testbed/neural/checkpoint.ts';
import { Walker } from '../../testbed/neural/walk.ts';
import {
  type Cell,
  cells,
  lakesOf,
  type Measured,
  type Mixture,
  mixtures,
  nameOf,
  startBudget,
  tableOf,
} from './grid.ts';

const validationLakes = 400;

const { values } = parseArgs({
  options: { folder: { type: 'string', default: 'headroom' }, seeds: { type: 'string', default: '2' } },
});
const folder = resolve(values.folder);
mkdirSync(folder, { recursive: true });
const results: Measured[] = [];
for (let seed = 1; seed <= Number(values.seeds); seed++) {
  for (const cell of cells) {
    for (const mixture of Object.keys(mixtures) as Mixture[]) results.push(await measured(cell, mixture, seed));
  }
}
console.log(tableOf(results));

async function measured(cell: Cell, mixture: Mixture, seed: number): Promise<Measured> {
  const file = join(folder, `${nameOf(cell, mixture, seed)}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Measured;
  const { start, budget, agents, trainer } = cell;
  const from = start === 'fresh' ? null : await startOf(agents, seed);
  const place = join(folder, 'training');
  await rm(place, { recursive: true, force: true });
  const request = { configuration: lakesOf(mixture, agents), from, budget, seed, place };
  const checkpoint = await trained(request, trainer);
  const result = { cell, mixture, seed, valid: await validShare(checkpoint, agents) };
  await writeWhole(file, Buffer.from(JSON.stringify(result)));
  await rm(place, { recursive: true, force: true });
  console.error(`${nameOf(cell, mixture, seed)}: ${(100 * result.valid).toFixed(1)} % valid`);
  return result;
}

/** The checkpoint that the cells of a seed start from, trained once. */
async function startOf(agents: number, seed: number): Promise<Checkpoint> {
  const file = join(folder, `start-${agents}-agents-${seed}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Checkpoint;
  const place = join(folder, `start-${agents}-agents-${seed}`);
  const checkpoint = await trained({
    ...{ configuration: lakesOf('uniform', agents), from: null, budget: startBudget, seed: -seed, place },
  });
  await writeWhole(file, Buffer.from(JSON.stringify(checkpoint)));
  return checkpoint;
}

interface Request {
  readonly configuration: LakeConfiguration;
  readonly from: Checkpoint | null;
  readonly budget: number;
  readonly seed: number;
  readonly place: string;
}

async function trained(
  { configuration, from, budget, seed, place }: Request,
  settings: Cell['trainer'] = {},
): Promise<Checkpoint> {
  await mkdir(place, { recursive: true });
  const trainer = openGrpo({ settings, threads: 1 });
  const signal = new AbortController().signal;
  let last: Checkpoint | null = null;
  try {
    const request = { configuration: { ...configuration }, from, budget: { 'agent-steps': budget }, folder: place };
    for await (const progress of trainer.train({ ...request, seed: `headroom ${seed}`, signal }))
      if (progress.kind === 'saved') last = progress.checkpoint;
  } finally {
    await trainer.close();
  }
  if (last === null) throw new Error('nothing was saved');
  return last;
}

/** On the same lakes of all sizes for every cell with as many agents, each tried once with the likeliest moves. */
async function validShare(checkpoint: Checkpoint, agents: number): Promise<number> {
  const lakes: readonly Made[] = [
    ...generate(lakesOf('uniform', agents), validationLakes, { split: 'validation', seed: 'headroom' }),
  ];
  const walker = new Walker(await readCheckpoint(checkpoint, (file) => valuesOf('policy', file)));
  const isValid = ({ instance }: Made): boolean => {
    walker.load(instance);
    return judge(instance, walker.walk(null, null).plan).failures.length === 0;
  };
  return lakes.filter(isValid).length / lakes.length;
}
