// What `icecore import ndjson` does.
import { jsonIn } from '../../library/experiment/json-file.ts';
import { printImported } from '../../library/plugins/import-command.ts';
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
  // A file that is no map is refused when records are read.
  const fields =
    map === undefined
      ? {}
      : { map: (await jsonIn(map, context.session, '--map')) as NonNullable<ImportNdjsonOptions['map']>, mapName: map };
  const options: ImportNdjsonOptions = { ...flags, ...fields };
  const result = await importNdjson(context.session, file, options);
  await printImported(context, result);
  return 0;
}
