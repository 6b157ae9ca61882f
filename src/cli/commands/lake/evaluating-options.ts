// The options that evaluating one policy and comparing several have in common.
import { type Command, Option } from 'commander';

export function evaluatingOptions(command: Command): Command {
  return command
    .option(
      '--suite <name>',
      'this benchmark suite, or a smaller edition: agents-2-wait-50-of-10; several times',
      several,
    )
    .option('--config <file>', 'fresh lakes from this configuration, as JSON')
    .option('--agents <n>', 'fresh lakes with so many agents, whatever the configuration says')
    .option('--count <n>', 'so many fresh lakes (default: 100)')
    .addOption(
      new Option('--split <split>', 'fresh lakes of this pool: validation unless told otherwise').choices([
        'validation',
        'probe',
        'probe-holdout',
        'test',
        'train',
      ]),
    )
    .option('--lakes <file>', 'lakes of your own, one a line; - is standard input')
    .option('--samples <n>', 'tries at each lake (default: 1)')
    .option('--sampled', 'draw answers, instead of the best one the policy knows')
    .option('--seed <text>', 'where draws and fresh lakes come from (default: icecore)')
    .option('--spending-cap <amount>', 'what models may cost at most, in the currency of their prices')
    .option('--jobs <n>', 'threads (default: as many as there are cores)');
}

function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
