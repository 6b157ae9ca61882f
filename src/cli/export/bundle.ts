// What `icecore export bundle` and `icecore import bundle` do.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ExportBundleResult, ImportBundleResult } from '../../../schemas/export-output.ts';
import { escapeControls } from '../../base/escape.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { inputOf } from '../../library/plugins/source.ts';
import { exportBundle, type ImportBundleOptions, importBundle } from '../../library/transfer/bundle.ts';
import type { Context } from '../context.ts';
import { leftOut } from '../output/left-out.ts';
import { tellOfRedacted } from '../trust/copy.ts';

interface ExportFlags {
  readonly output?: string;
}

export async function exportBundleTo(context: Context, run: string, { output }: ExportFlags): Promise<number> {
  if (output === '-') refuseStandardOutput(context);
  const to = output === '-' ? context.io.stdout : output;
  const result = await exportBundle(context.session, run, to === undefined ? {} : { output: to });
  if (context.flags.json) await context.printJson(result);
  else await tellExported(context, result);
  return result.lost > 0 ? 1 : 0;
}

function refuseStandardOutput({ io, flags }: Context): void {
  if (io.stdout.isTTY) {
    throw new IcecoreError('usage', '--output -: a terminal cannot show a bundle', {
      facts: { field: '--output' },
      remedy: 'Name a file, or pipe it to another program with |.',
    });
  }
  if (!flags.json) return;
  throw new IcecoreError('usage', '--output - and --json: both would go to standard output', {
    facts: { field: '--output' },
    remedy: 'Name a file, or leave --json out.',
  });
}

/** Prints on standard output unless the bundle goes there. */
async function tellExported(context: Context, result: ExportBundleResult): Promise<void> {
  const { run, ancestors, missing, ablations, events, blobs, lostBlobs, elsewhere, bundle, bytes, unpacked } = result;
  const say = async (line: string): Promise<void> =>
    bundle === null ? await context.say(line) : await context.print(`${escapeControls(line)}\n`);
  const parts = [
    counted(events, 'event'),
    blobs > 0 ? counted(blobs, 'blob') : '',
    `${size(unpacked)} in ${size(bytes)}`,
    duration(result.seconds),
  ];
  await say(`${run.name}: ${parts.filter((part) => part !== '').join(', ')}`);
  for (const { name } of ancestors) await say(`with ${name}, whose history it shares`);
  if (ablations.length > 0) await say(`with ${counted(ablations.length, 'ablation')} of it`);
  if (elsewhere.length > 0) await say(elsewhereText(elsewhere));
  if (result.ownStreams.length > 0) await say(leftOut(result.ownStreams, 'copy of everything (icecore ledger copy)'));
  for (const blob of lostBlobs) await say(`LOST: blob ${blob} is missing or damaged`);
  for (const parent of missing) await say(`MISSING: run ${parent}, whose history it shares, is not in this ledger`);
  if (bundle === null) return;
  await say(`sha256 ${result.sha256}`);
  await say(bundle);
  await context.hint(`to open it elsewhere: icecore import bundle ${shellWord(bundle)}`);
  if (lostBlobs.length > 0)
    await context.say(`${count(lostBlobs.length)} blobs are lost: restore them and export again`);
}

const shown = 3;

/** The text for at least one name. */
export function elsewhereText(names: readonly string[]): string {
  const some = names.slice(0, shown).join(', ');
  const what = `${counted(names.length, 'checkpoint')} that ${names.length === 1 ? 'is' : 'are'} not a file`;
  return `not included: ${what}: ${some}${names.length > shown ? ', …' : ''}`;
}

export async function importBundleFrom(context: Context, file: string, options: ImportBundleOptions): Promise<number> {
  const result = await importBundle(context.session, await inputOf(context, file, 'a bundle'), options);
  if (context.flags.json) await context.printJson(result);
  else await tellImported(context, result);
  return result.lost > 0 ? 1 : 0;
}

async function tellImported(context: Context, result: ImportBundleResult): Promise<void> {
  const { run, ancestors, missing, events, added, addedBlobs, lost, elsewhere, seconds } = result;
  const print = (line: string): Promise<void> => context.print(`${escapeControls(line)}\n`);
  const parts = [
    added === 0 ? `all ${counted(events, 'event')} were there` : `added ${counted(added, 'event')}`,
    addedBlobs > 0 ? counted(addedBlobs, 'blob') : '',
    added > 0 && added < events ? `${count(events - added)} were there` : '',
    duration(seconds),
  ];
  await print(`${run.name}: ${parts.filter((part) => part !== '').join(', ')}`);
  for (const { name } of ancestors) await print(`with ${name}, whose history it shares`);
  for (const parent of missing) await print(`MISSING: run ${parent}, whose history it shares, is not in the bundle`);
  if (lost > 0) await print(`LOST: ${counted(lost, 'blob')} that its events name were lost before the export`);
  if (elsewhere.length > 0) await print(elsewhereText(elsewhere));
  for (const { of, events: more } of result.extended)
    await print(`added ${counted(more, 'event')} to ${of}, which existed here`);
  if (result.answers > 0)
    await print(
      `${counted(result.answers, 'recorded answer')} of models: a run here that asks the same question reuses them`,
    );
  if (result.ignored > 0)
    await print(`IGNORED: ${counted(result.ignored, 'redaction')} without authority; icecore verify names them`);
  await tellOfRedacted(context, result.redacted);
  await print(
    `verified: ${counted(events, 'event')} and their chains, ${counted(result.seals, 'seal')}; root ${result.root}`,
  );
  if (result.unsealed > 0) await print('some of the evidence has no seal; icecore verify names it');
  await context.hint(`to look at it: icecore show ${run.run}`);
}
