// What `icecore ledger seal` and `icecore ledger head` print.
import { resolve } from 'node:path';
import type { SealResult } from '../../../schemas/output.ts';
import { escapeControls } from '../../base/escape.ts';
import { readGivenFile } from '../../base/given-file.ts';
import { escapeControlsInJson } from '../../base/printable-json.ts';
import { count, counted } from '../../base/quantity.ts';
import { table } from '../../document/layout.ts';
import type { StageReference } from '../../library/reference.ts';
import { head as makeHead, type SealOptions, seal as sealStage } from '../../library/verification/seals.ts';
import type { Context } from '../context.ts';

export async function head(context: Context, { sign }: { readonly sign?: string }): Promise<number> {
  const key = sign === undefined ? {} : { sign: await givenText(context, sign) };
  await printWhole(context, await makeHead(context.session, key));
  return 0;
}

/** JSON for a file: on several lines without --json. */
export async function printWhole({ flags, print }: Context, value: object): Promise<void> {
  await print(`${escapeControlsInJson(JSON.stringify(value, null, flags.json ? 0 : 2))}\n`);
}

/** Reads a named file. The system's error does not name the path if it is a folder. */
export async function givenText(
  { io, signal }: Context,
  file: string,
): Promise<{ readonly text: string; readonly name: string }> {
  try {
    return { text: await readGivenFile(resolve(io.cwd, file), signal), name: file };
  } catch (fault) {
    throw fault instanceof Error ? Object.assign(fault, { path: file }) : fault;
  }
}

export async function seal(context: Context, stage: StageReference, options: SealOptions): Promise<number> {
  const result = await sealStage(context.session, stage, options);
  if (context.flags.json) await context.printJson(result);
  else await tell(context, result);
  return 0;
}

async function tell(context: Context, { attempts, stream, revision, isNew }: SealResult): Promise<void> {
  const events = attempts.reduce((sum, { count }) => sum + count, 0);
  const what = `${counted(events, 'event')} of ${counted(attempts.length, 'attempt')}`;
  const place = `${stream}@${revision}`;
  const line = isNew ? `sealed ${what}: ${place}` : `${what} were sealed before: ${place}`;
  await context.print(`${escapeControls(line)}\n`);
  const columns = [{ title: 'attempt' }, { title: 'events', align: 'right' as const }, { title: 'root' }];
  const rows = attempts.map((attempt) => [attempt.stream, count(attempt.count), attempt.root]);
  await context.print(table(columns, rows, context.io.stdout));
}
