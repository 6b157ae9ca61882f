// The controls of ablations: `npm run controls -- positive` or `negative`, by the protocol in protocol.ts. The same command
// continues a stopped one. `--keep` keeps the ledgers of the sets.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deviationOf, meanOf } from '../../src/lab/statistics/distributions.ts';
import { concluded, isAsRequired } from './conclude.ts';
import { type Control, controls, effects } from './protocol.ts';
import { type SetResult, seedsOf } from './set.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string', default: 'controls' }, keep: { type: 'boolean', default: false } },
});
const [named = ''] = positionals;
if (!Object.hasOwn(controls, named)) {
  console.error(`which control? found "${named}", allowed: ${Object.keys(controls).join(', ')}`);
  process.exit(2);
}
const control = named as Control;
const folder = resolve(values.folder);
mkdirSync(folder, { recursive: true });

const sets = Array.from({ length: controls[control].sets }, (_, i) => i + 1);
const fileOf = (set: number): string => join(folder, `${control}-${set}.json`);
const waiting = sets.filter((set) => !existsSync(fileOf(set)));
const began = performance.now();

/** One process for several sets: starting one takes as long as a few seeds. */
const worker = fileURLToPath(new URL('./worker.ts', import.meta.url));
const workers = Math.min(availableParallelism(), waiting.length);
await Promise.all(
  Array.from({ length: workers }, async (_, i) => {
    const own = waiting.filter((_, j) => j % workers === i).map(String);
    const child = spawn(process.execPath, [worker, folder, control, values.keep ? 'keep' : '', ...own], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`a worker ended with code ${code}; the same command continues`);
  }),
);
const results = sets.map((set) => JSON.parse(readFileSync(fileOf(set), 'utf8')) as SetResult);
console.log(pageOf(results));

function pageOf(results: readonly SetResult[]): string {
  const conclusion = concluded(results);
  const { headroom, any, every } = conclusion;
  const judgement = isAsRequired(control, conclusion);
  const all = results.flatMap(({ seeds }) => seeds);
  const arms = Object.keys(results[0]?.rates ?? {});
  const rateOf = (arm: string): string => {
    const rates = results.flatMap((result) => result.rates[arm] ?? []);
    return `${meanOf(rates).toFixed(1)} ± ${deviationOf(rates).toFixed(1)}`;
  };
  return [
    `${control}: ${controls[control].environment}, seeds ${all[0]} to ${all.at(-1)}, ${results.length} sets of ${seedsOf(control, 1).length}`,
    '',
    '| arm | validation % (± SD of a seed) |',
    '| --- | ---: |',
    ...arms.map((arm) => `| ${arm} | ${rateOf(arm)} |`),
    '',
    '| contrast | difference in points | sets tested | significant alone | significant (Holm) | better |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...conclusion.contrasts.map(
      ({ contrast, difference, tested, alone, significant, better }) =>
        `| ${contrast.replace(':', ' less ')} | ${difference.toFixed(1)} | ${tested} | ${alone} | ${significant} | ${better} |`,
    ),
    '',
    `Every contrast is significantly better in ${every} of ${results.length} sets; any is significant in ${any}.`,
    `The oracle gains ${headroom.gain.toFixed(1)} points over uniform: ${headroom.ratio.toFixed(1)} standard deviations of a seed.`,
    judgement === null
      ? 'These are seeds for tuning: nothing is concluded from them.'
      : `By the protocol, this is ${judgement ? 'as required' : 'not as required'}.`,
    `Expected before: gains of ${effects.expected} points in the dungeon; less than ${effects.leastOfInterest} would not matter.`,
    ...(waiting.length === 0
      ? []
      : [`${waiting.length} sets took ${Math.round((performance.now() - began) / 1000)} s.`]),
  ].join('\n');
}
