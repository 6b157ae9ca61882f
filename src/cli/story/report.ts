// What `icecore report` does: makes the report of a run, and writes it to a file or to standard output.
import { extname } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Report } from '../../../schemas/report-output.ts';
import { jsonText } from '../../base/printable-json.ts';
import { size } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { reportDocument, reportPage } from '../../library/documents.ts';
import type { RunReference } from '../../library/reference.ts';
import { report as reportOn } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { requireOneForm } from '../output/print.ts';
import { defaultFile, putInto, requireOwnReport } from './place.ts';

export interface ReportOptions {
  readonly output?: string;
  readonly format?: Form;
  readonly site?: string;
  readonly all?: true;
}

type Form = 'html' | 'md' | 'json';

export async function report(context: Context, asked: RunReference, options: ReportOptions): Promise<number> {
  requireOneForm(context, options);
  requireSiteAlone(context, options);
  const form = formOf(context, options);
  const made = await reportOn(context.session, wholeRun(asked), options);
  if (options.site !== undefined) {
    const { writeSite } = await import('./site.ts');
    await writeSite(context, options.site, made, options.all === true);
    return 0;
  }
  const file = await fileFor(context, options, form, made);
  const text = await textOf(made, form);
  if (file === null) await context.print(text);
  else {
    await putInto(file, text);
    await context.say(`wrote ${file}, ${size(Buffer.byteLength(text))}`);
  }
  return 0;
}

function formOf({ flags }: Context, { format, output }: ReportOptions): Form {
  if (flags.json) return 'json';
  if (format !== undefined) return format;
  const ending = extname(output ?? '').toLowerCase();
  const known = ending === '' ? 'html' : endings[ending];
  if (known !== undefined) return known;
  throw new IcecoreError('usage', `--output: found "${output}", and a report is no ${ending} file`, {
    facts: { field: '--output', found: output, allowed: Object.keys(endings) },
    remedy: `Give it one of the endings ${Object.keys(endings).join(', ')}, or name the format: --format html, md or json`,
  });
}

/** A site is a folder of files of its own. */
function requireSiteAlone({ flags }: Context, { site, output, format }: ReportOptions): void {
  const other = output !== undefined ? '--output' : format !== undefined ? '--format' : flags.json ? '--json' : null;
  if (site === undefined || other === null) return;
  throw new IcecoreError('usage', `--site and ${other} cannot be given together`, {
    facts: { field: '--site', found: other },
    remedy: 'Write the site and the file with two commands.',
  });
}

/** Without an ending, the file is a page. */
const endings: Readonly<Record<string, Form>> = { '.html': 'html', '.htm': 'html', '.md': 'md', '.json': 'json' };

/** A name may have an @ of its own; a stage has no report. */
function wholeRun({ run, stage }: RunReference): string {
  if (stage === null) return run;
  const asked = `${run}@${stage}`;
  throw new IcecoreError('usage', `"${asked}" is a stage, and a report is of a whole run`, {
    facts: { found: asked, allowed: 'RUN' },
    remedy: `icecore report ${shellWord(run)} reports on all of it, icecore why ${shellWord(asked)} tells of the stage.`,
  });
}

/** Null: standard output, unless it is a page and a terminal. */
async function fileFor(
  { io }: Context,
  { output }: ReportOptions,
  form: Form,
  { run }: Report,
): Promise<string | null> {
  if (output === '-') return null;
  if (output !== undefined) return output;
  if (form !== 'html' || !io.stdout.isTTY) return null;
  const file = defaultFile(io.cwd, run);
  await requireOwnReport(file, run.run);
  return file;
}

async function textOf(report: Report, form: Form): Promise<string> {
  if (form === 'json') return `${jsonText(report)}\n`;
  if (form === 'html') return await reportPage(report);
  const { markdownText } = await import('../../document/markdown.ts');
  return markdownText(await reportDocument(report));
}
