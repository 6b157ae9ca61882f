// What `icecore report` does: makes the report of a run, and puts it where it is wanted.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Report } from '../../../schemas/report-output.ts';
import { reportOf } from '../../analysis/report/report.ts';
import { findRun } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { readRun } from '../../producers/history/run-read.ts';
import { textReader } from '../../producers/run/texts.ts';
import { blobsUrl, OpenedBlobs } from '../blobs.ts';
import type { Context } from '../context.ts';
import { withLedgerToAnswer } from '../ledger.ts';
import { jsonText } from '../output/json.ts';
import { size } from '../output/quantity.ts';
import { runReference } from '../runs/reference.ts';
import { withFinder } from '../tables/finder.ts';
import { icecoreVersion } from '../version.ts';
import { defaultFile, putInto, requireOwnReport } from './place.ts';

export interface ReportOptions {
  readonly out?: string;
  readonly md?: true;
  readonly all?: true;
}

type Form = 'html' | 'md' | 'json';

export async function report(context: Context, asked: string, options: ReportOptions): Promise<number> {
  requireNamed(options);
  const form = formOf(context, options);
  const told = await reportTold(context, wholeRun(asked), options.all === true);
  const file = await fileFor(context, options, form, told);
  const text = await textOf(told, form);
  if (file === null) await context.print(text);
  else {
    await putInto(file, text);
    await context.say(`wrote ${file}, ${size(Buffer.byteLength(text))}`);
  }
  return 0;
}

function requireNamed({ out }: ReportOptions): void {
  if (out !== '') return;
  throw new IcecoreError('usage', '--out is empty, and names no file', {
    facts: { field: '--out' },
    remedy: 'Name a file, - for standard output, or leave it out.',
  });
}

function formOf({ flags }: Context, { md, out }: ReportOptions): Form {
  if (md === true && flags.json) {
    throw new IcecoreError('usage', '--md and --json cannot both be written', {
      facts: { field: '--md' },
      remedy: 'Leave one of them out.',
    });
  }
  if (flags.json) return 'json';
  return md === true || out?.endsWith('.md') === true ? 'md' : 'html';
}

/** A name may have an @ of its own; a stage has no report. */
function wholeRun(asked: string): string {
  const { run, stage } = runReference(asked);
  if (stage === null) return run;
  throw new IcecoreError('usage', `"${asked}" is a stage, and a report is of a whole run`, {
    facts: { found: asked, allowed: 'RUN' },
    remedy: `icecore report ${shellWord(run)} reports on all of it, icecore why ${shellWord(asked)} tells of the stage.`,
  });
}

async function reportTold(context: Context, asked: string, all: boolean): Promise<Report> {
  const blobs = new OpenedBlobs(blobsUrl(context));
  try {
    return await withLedgerToAnswer(context, async (ledger) => {
      const read = await readRun(ledger, await findRun(ledger, asked));
      const textOf = textReader(() => blobs.toRead());
      const at = new Date().toISOString();
      return await withFinder(context, ledger, (finder) =>
        reportOf(ledger, read, { by: icecoreVersion(), at, all, textOf, finder }),
      );
    });
  } finally {
    await blobs.close();
  }
}

/** Null: standard output. A page is of no use on a terminal; other forms are. */
async function fileFor({ io }: Context, { out }: ReportOptions, form: Form, { run }: Report): Promise<string | null> {
  if (out === '-') return null;
  if (out !== undefined) return out;
  if (form !== 'html' || !io.stdout.isTTY) return null;
  const file = defaultFile(io.cwd, run);
  await requireOwnReport(file, run.run);
  return file;
}

async function textOf(told: Report, form: Form): Promise<string> {
  if (form === 'json') return `${jsonText(told)}\n`;
  const { documentOf } = await import('../../analysis/report/telling/telling.ts');
  if (form === 'md') return (await import('../../analysis/report/markdown.ts')).markdownOf(documentOf(told));
  return (await import('../../analysis/report/html/page.ts')).htmlOf(documentOf(told));
}
