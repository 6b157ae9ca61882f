// `icecore import NAME`: the command of an importer of a plugin.
import type { ImportNdjsonResult } from '../../../schemas/export-output.ts';
import { escapeControls } from '../../base/escape.ts';
import { counted, duration } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { badOption } from '../option-error.ts';
import { argument, type CommandContext, type CommandModule, defineCommand, flag, option } from './command.ts';
import { filledText, path, settingIn } from './values.ts';

export function importCommand(name: string): CommandModule {
  return defineCommand({
    config: 'run',
    notes: `
The whole file is checked first, and nothing is imported where a record is wrong. Import the same file again and nothing is added.
`,
    examples: [
      [`icecore import ${name} FILE`, 'Import the runs of a file'],
      [`icecore import ${name} FILE --dry-run`, 'Check every record and write nothing'],
    ],
    args: { file: argument('<file>', 'what to import', path) },
    options: {
      set: option('--set <setting>', 'a setting of the importer, such as delimiter=;', settingIn, { again: true }),
      environment: option('--environment <name>', 'name of the environment', filledText, {
        otherwise: 'the name of the file',
      }),
      name: option('--name <name>', 'name of the run, instead of the one in the records', filledText),
      dryRun: flag('--dry-run', 'check every record and write nothing'),
    },
    run: async (context, { file }, { set = [], ...options }) => {
      const settings = Object.fromEntries(set.map((one) => [one.name, one.value]));
      const twice = set.find((one, i) => set.findIndex(({ name: other }) => other === one.name) < i);
      if (twice !== undefined) throw badOption('--set', twice.name, 'each setting once');
      await printImported(context, await context.workspace.import(name, file, { ...options, settings }));
      return 0;
    },
  });
}

export async function printImported(context: CommandContext, result: ImportNdjsonResult): Promise<void> {
  if (context.flags.json) return await context.printJson(result);
  const { runs, dryRun, records, seconds } = result;
  for (const run of runs) await context.print(`${escapeControls(sentence(run, dryRun))}\n`);
  const done = dryRun ? 'checked; nothing was written' : 'read';
  await context.print(`${counted(records, 'record')} ${done}; ${duration(seconds)}\n`);
  const [first] = runs;
  if (first !== undefined && !dryRun) await context.hint(`to inspect it: icecore why ${shellWord(first.name)}`);
}

function sentence(run: ImportNdjsonResult['runs'][number], dryRun: boolean): string {
  const parts = [
    counted(run.stages, 'stage'),
    counted(run.rollouts, 'rollout'),
    counted(run.configurations, 'configuration'),
    counted(run.measurements, 'measurement'),
  ];
  const what = dryRun
    ? []
    : [run.added === 0 ? 'everything was there already' : `added ${counted(run.added, 'event')}`];
  return `${run.name}: ${[...parts, ...what].join(', ')}`;
}
