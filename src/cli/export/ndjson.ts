// What `icecore import ndjson` does.
import type { ImportNdjsonResult } from '../../../schemas/export-output.ts';
import { counted, duration } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { visible } from '../../base/visible.ts';
import { jsonIn } from '../../library/experiment/json-file.ts';
import { type ImportNdjsonOptions, importNdjson } from '../../library/transfer/ndjson.ts';
import type { Context } from '../context.ts';

interface ImportFlags {
  readonly map?: string;
  readonly environment?: string;
  readonly name?: string;
  readonly dryRun?: true;
}

export async function importNdjsonFrom(
  context: Context,
  file: string,
  { map, ...flags }: ImportFlags,
): Promise<number> {
  // What is no map is refused by whoever reads records by it.
  const fields =
    map === undefined
      ? {}
      : { map: jsonIn(map, context.io.cwd, '--map') as NonNullable<ImportNdjsonOptions['map']>, mapName: map };
  const options: ImportNdjsonOptions = { ...flags, ...fields };
  const result = await importNdjson(context.session, file, options);
  if (context.flags.json) await context.printJson(result);
  else await tellImported(context, result);
  return 0;
}

async function tellImported(context: Context, { runs, dryRun, records, seconds }: ImportNdjsonResult): Promise<void> {
  for (const run of runs) await context.print(`${visible(sentence(run, dryRun))}\n`);
  const done = dryRun ? 'checked; nothing was written' : 'read';
  await context.print(`${counted(records, 'record')} ${done}; ${duration(seconds)}\n`);
  const [first] = runs;
  if (first !== undefined && !dryRun) await context.hint(`to look at it: icecore why ${shellWord(first.name)}`);
}

function sentence(run: ImportNdjsonResult['runs'][number], dryRun: boolean): string {
  const parts = [
    counted(run.stages, 'stage'),
    counted(run.rollouts, 'rollout'),
    counted(run.configurations, 'configuration'),
    counted(run.measurements, 'measurement'),
  ];
  const what = dryRun ? [] : [run.added === 0 ? 'all of it was there' : `added ${counted(run.added, 'event')}`];
  return `${run.name}: ${[...parts, ...what].join(', ')}`;
}
