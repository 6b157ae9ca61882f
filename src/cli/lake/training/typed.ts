// The command line that goes on with a training, whatever the one was that began it.
import { shellWord } from '../../../ledger/shell-word.ts';
import type { Asked, TrainOptions } from './asked.ts';
import { budgetText } from './budget.ts';

/** Only what was chosen; the folder always, so that it goes on there and nowhere else. */
export function typedAgain(options: TrainOptions, { out }: Pick<Asked, 'out'>, command: readonly string[]): string {
  const { config, agents, budget, seed, from, jobs } = options;
  const chosen = Object.entries({ config, agents, budget: budgetText(budget), seed, from, jobs, output: out });
  const words = chosen.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, shellWord(String(value))]));
  const program = command.length === 0 ? [] : ['--', ...command.map((word) => shellWord(word))];
  return ['icecore lake train', ...words, ...program].join(' ');
}
