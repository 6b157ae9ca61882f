// What `icecore why` does: explains why a stage was configured as it was, as deep as is asked for.
import type { Why } from '../../../schemas/why-output.ts';
import { shellWord } from '../../base/shell-word.ts';
import { whyDocument } from '../../library/documents.ts';
import type { FormatOption } from '../../library/plugins/command.ts';
import type { RunReference } from '../../library/reference.ts';
import { type WhyOptions as ExplainOptions, why as explain } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import { type Hint, printHints, requireOneForm } from '../output/print.ts';

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
  const why = await explain(context.session, reference, {
    ...(knob === undefined ? {} : { knob }),
    ...(detail === undefined ? {} : { detail: Number(detail) as NonNullable<ExplainOptions['detail']> }),
  });
  if (context.flags.json) await context.printJson(why);
  else await context.print(await whyDocument(why), options);
  await printHints(context, hintsAfter(why), options);
  return 0;
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
  const typed = context.isUsual ? `icecore context ${at(why, why.stage)}` : `icecore event show ${context.event.event}`;
  return [['what was shown', typed]];
}

function decided({ decision }: Why): readonly Hint[] {
  return decision.adopted === null ? [] : [['the decision', `icecore event show ${decision.adopted.event}`]];
}
