// The quality of a policy after half a minute of training on two cores, from scratch, by seed.
import type { Line, Report } from '../report.ts';
import { configurationOf, heldOutLakes, percent, scoreOf } from './held-out.ts';
import { train } from './train.ts';

const seeds = ['one', 'two', 'three', 'four', 'five'];
const limit = 30_000;
const targets = { valid: 0.8, optimal: 0.48, seeds: 4 } as const;
const configuration = configurationOf({ sizes: [3, 4, 5], hole: 0.15, wait: 0.25 });
/** More than any machine does in this time. */
const endless = 1_000_000_000;

export async function learningBench(): Promise<Report[]> {
  const held = heldOutLakes();
  const lines: Line[] = [];
  const data: object[] = [];
  for (const seed of seeds) {
    const asked = { configuration, agentSteps: endless, seed, threads: 2, limit };
    const { score, step } = await train(asked, async (checkpoint) => ({
      score: await scoreOf(checkpoint, held),
      step: checkpoint.step ?? 0,
    }));
    const met = score.valid >= targets.valid && score.optimal >= targets.optimal;
    const drawn = `drawn ${percent(score.drawn.valid)} / ${percent(score.drawn.optimal)}`;
    lines.push({
      what: `seed ${seed}, ${step.toLocaleString('en')} updates`,
      value: `${percent(score.valid)} / ${percent(score.optimal)} (${drawn})`,
      target: `at least ${percent(targets.valid)} / ${percent(targets.optimal)}`,
      met,
    });
    data.push({ seed, updates: step, ...score });
  }
  const met = lines.filter((line) => line.met === true).length;
  lines.push({
    what: 'seeds that reach it',
    value: String(met),
    target: `at least ${targets.seeds}`,
    met: met >= targets.seeds,
  });
  const title = `valid / optimal in % after ${limit / 1000} s on two cores: sizes 3 to 5, 15 % holes, 25 % waits, likeliest moves`;
  return [{ title, lines, data: { limit, seeds: data } }];
}
