// What `icecore why` does: tells why a stage was set as it was, in as much depth as is asked for.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Why } from '../../../schemas/why-output.ts';
import { lastDecided } from '../../analysis/why/asked.ts';
import { type Depth, depths } from '../../analysis/why/depth.ts';
import type { TextOf } from '../../analysis/why/told.ts';
import { whyOf } from '../../analysis/why/why.ts';
import { findRun } from '../../ledger/runs.ts';
import { readRun } from '../../producers/history/run-read.ts';
import type { Context } from '../context.ts';
import { withLedgerToAnswer } from '../ledger.ts';
import { requireOneForm } from '../output/one-form.ts';
import { type RunReference, runReference } from '../runs/reference.ts';
import { withFinder } from '../tables/finder.ts';
import { markdownText } from './markdown.ts';
import { sayNext } from './next.ts';
import { storyOf } from './story.ts';
import { terminalText } from './terminal.ts';

export interface WhyOptions {
  readonly depth?: string;
  readonly md?: true;
}

export async function why(
  context: Context,
  [asked, knob]: readonly [run: string, knob: string | undefined],
  { depth, md }: WhyOptions,
): Promise<number> {
  requireOneForm(context, md);
  const reference = runReference(asked);
  const deep = depth === undefined ? usualDepth(knob) : depthFrom(depth);
  const told = await toldAs(context, reference, knob ?? null, deep);
  if (context.flags.json) await context.printJson(told);
  else await context.print(md === true ? markdownText(storyOf(told)) : terminalText(context, storyOf(told)));
  if (!context.flags.json && md !== true) await sayNext(context, told);
  return 0;
}

async function toldAs(context: Context, reference: RunReference, knob: string | null, depth: Depth): Promise<Why> {
  return await withLedgerToAnswer(context, async (ledger) => {
    const read = await readRun(ledger, await findRun(ledger, reference.run));
    const textOf = textsOf(context);
    return await withFinder(context, ledger, (finder) =>
      whyOf(ledger, read, reference.stage ?? lastDecided(read), { knob, depth, textOf, finder }),
    );
  });
}

/** Few texts are kept as blobs: their store is opened for those that are, and not before. */
function textsOf(context: Context): TextOf {
  return async (text) => {
    if ('text' in text) return text.text;
    const { blobsUrl, OpenedBlobs } = await import('../blobs.ts');
    const { textReader } = await import('../../producers/run/texts.ts');
    const blobs = new OpenedBlobs(blobsUrl(context));
    try {
      return await textReader(() => blobs.toRead())(text);
    } finally {
      await blobs.close();
    }
  };
}

/** Of one knob there is room for everything. */
function usualDepth(knob: string | undefined): Depth {
  return knob === undefined ? 2 : 4;
}

function depthFrom(text: string): Depth {
  const found = depths.find((depth) => String(depth) === text);
  if (found !== undefined) return found;
  throw new IcecoreError('usage', `--depth: found "${text}", allowed: ${depths.join(', ')}`, {
    facts: { field: '--depth', found: text, allowed: depths },
    remedy: '1 tells of knobs, 2 of the evidence ids they cite, 3 of their figures, 4 of the rollouts behind.',
  });
}
