// What `icecore why` does: explains why a stage was configured as it was, as deep as is asked for.
import type { Why } from '../../../schemas/why-output.ts';
import type { TextOf } from '../../analysis/why/evidence.ts';
import { type Depth, lastDecided, whyOf } from '../../analysis/why/why.ts';
import { findRun } from '../../ledger/runs.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { withFinder } from '../../library/opening/finder.ts';
import { withLedgerToAnswer } from '../../library/opening/ledger.ts';
import type { RunReference } from '../../library/reference.ts';
import { readRun } from '../../producers/history/reading.ts';
import type { Context } from '../context.ts';
import { type FormatOption, type Hint, printDocument, printHints, requireOneForm } from '../output/print.ts';
import { whyDocument } from './view.ts';

export interface WhyOptions extends FormatOption {
  readonly detail?: '1' | '2' | '3' | '4';
}

export async function why(
  context: Context,
  [reference, knob]: readonly [run: RunReference, knob: string | undefined],
  options: WhyOptions,
): Promise<number> {
  requireOneForm(context, options);
  const { detail } = options;
  const depth = detail === undefined ? usualDepth(knob) : (Number(detail) as Depth);
  const why = await whyIn(context, reference, { knob: knob ?? null, depth });
  if (context.flags.json) await context.printJson(why);
  else await printDocument(context, whyDocument(why), options);
  await printHints(context, hintsAfter(why), options);
  return 0;
}

async function whyIn(
  context: Context,
  reference: RunReference,
  { knob, depth }: { readonly knob: string | null; readonly depth: Depth },
): Promise<Why> {
  return await withLedgerToAnswer(context.session, async (ledger) => {
    const read = await readRun(ledger, await findRun(ledger, reference.run));
    const textOf = textsOf(context);
    return await withFinder(context.session, ledger, (finder) =>
      whyOf(ledger, read, reference.stage ?? lastDecided(read), { knob, depth, textOf, finder }),
    );
  });
}

/** Few texts are kept as blobs: their store is opened for those that are, and not before. */
function textsOf(context: Context): TextOf {
  return async (text) => {
    if ('text' in text) return text.text;
    const { blobsUrl, OpenedBlobs } = await import('../../library/opening/blobs.ts');
    const { textReader } = await import('../../producers/run/question.ts');
    const blobs = new OpenedBlobs(blobsUrl(context.session));
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

/** What may be asked next, each as it is typed. */
function hintsAfter(why: Why): readonly Hint[] {
  return [...deeper(why), ...turned(why), ...surer(why), ...shown(why), ...decided(why)];
}

function at({ name }: Why, stage: number): string {
  return shellWord(`${name}@${stage}`);
}

function deeper(why: Why): readonly Hint[] {
  const [first] = why.changes;
  if (why.depth === 4 || first === undefined) return [];
  return [['down to the rollouts', `icecore why ${at(why, why.stage)} ${shellWord(first.knob)}`]];
}

/** Of a knob that was asked for, and turned at another time. */
function turned(why: Why): readonly Hint[] {
  const [first] = why.unchanged;
  if (first === undefined || why.changes.length > 0) return [];
  const { knob, last, next } = first;
  const typed = (stage: number): string => `icecore why ${at(why, stage)} ${shellWord(knob)}`;
  if (last !== null) return [['when it was turned last', typed(last.stage)]];
  return next === null ? [] : [['when it is turned next', typed(next.stage)]];
}

/** Intervals that overlap, or do not, are no test. */
function surer(why: Why): readonly Hint[] {
  const isKnown = why.effects.some(({ validation }) => validation.overlap !== null);
  if (!why.isOver || !isKnown) return [];
  return [['how sure the difference is', `icecore compare ${at(why, why.stage - 1)} ${at(why, why.stage)}`]];
}

function shown(why: Why): readonly Hint[] {
  const { context } = why.decision;
  if (context?.isKnown !== true || context.event === null) return [];
  const typed = context.isUsual
    ? `icecore context ${at(why, why.stage - 1)}`
    : `icecore event show ${context.event.event}`;
  return [['what was shown', typed]];
}

function decided({ decision }: Why): readonly Hint[] {
  return decision.adopted === null ? [] : [['the decision', `icecore event show ${decision.adopted.event}`]];
}
