// The effect of a configuration on learning: policies trained from scratch with one configuration each and the same number of agent steps,
// evaluated on the same held-out lakes. Prints a table; docs/learning.md shows most columns.
import { median } from '../measure.ts';
import type { Line, Report } from '../report.ts';
import { configurationOf, heldOutLakes, type Knobs, type Score, scoreOf } from './held-out.ts';
import { train } from './train.ts';

const seeds = ['one', 'two', 'three', 'four', 'five'];
const agentSteps = Number(process.env['ICECORE_BENCH_AGENT_STEPS'] ?? 1_200_000);
const usual: Knobs = { sizes: [3, 4, 5], hole: 0.15, wait: 0.25 };

const configurations: Readonly<Record<string, Knobs>> = {
  'sizes 3 to 5': usual,
  'only 3': { ...usual, sizes: [3] },
  'all sizes': { ...usual, sizes: [3, 4, 5, 6, 7, 8, 9, 10] },
  'only 6 to 8': { ...usual, sizes: [6, 7, 8] },
  'only 9 and 10': { ...usual, sizes: [9, 10] },
  'no waits': { ...usual, wait: 0 },
  'half with a wait': { ...usual, wait: 0.5 },
  'all with a wait': { ...usual, wait: 1 },
  'no holes': { ...usual, hole: 0 },
  '20 % holes': { ...usual, hole: 0.2 },
  '30 % holes': { ...usual, hole: 0.3 },
};

const columns: Readonly<Record<string, (score: Score) => number>> = {
  valid: ({ valid }) => valid,
  optimal: ({ optimal }) => optimal,
  'without a wait': ({ validWithoutWait }) => validWithoutWait,
  'with a wait': ({ validWithWait }) => validWithWait,
  'falls of failures': ({ falls }) => falls,
};

export async function effectsBench(): Promise<Report[]> {
  const held = heldOutLakes();
  const lines: Line[] = [];
  const data: object[] = [];
  console.log(markdownRow(['trained on', 'updates', ...Object.keys(columns)]));
  console.log(markdownRow(['---', ...['', ...Object.keys(columns)].map(() => '---:')]));
  for (const [name, knobs] of Object.entries(configurations)) {
    const scores: Score[] = [];
    const updates: number[] = [];
    for (const seed of seeds) {
      const asked = { configuration: configurationOf(knobs), agentSteps, seed, threads: 2 };
      await train(asked, async (checkpoint, trained) => {
        scores.push(await scoreOf(checkpoint, held));
        updates.push(trained.updates);
      });
    }
    const cells = Object.values(columns).map((of) => spread(scores.map(of)));
    console.log(markdownRow([name, String(median(updates)), ...cells]));
    lines.push({ what: name, value: spread(scores.map(({ valid }) => valid)), target: '', met: null });
    data.push({ name, knobs, updates, scores });
  }
  const title = `valid in % of held-out lakes after ${agentSteps.toLocaleString('en')} agent steps, median (range of ${seeds.length} seeds)`;
  return [{ title, lines, data: { agentSteps, seeds, configurations: data } }];
}

function spread(shares: readonly number[]): string {
  return `${whole(median(shares))} (${whole(Math.min(...shares))}-${whole(Math.max(...shares))})`;
}

function whole(share: number): string {
  return String(Math.round(100 * share));
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
