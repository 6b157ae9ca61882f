// What `icecore why` does: explains why a stage was configured as it was.

import type { Why } from '../../../schemas/why-output.ts';
import { paintFor } from '../../base/paint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { quote } from '../../base/sql-quoting.ts';
import type { Document } from '../../document/document.ts';
import { whyDocument } from '../../library/documents.ts';
import type { RunReference } from '../../library/reference.ts';
import { type WhyOptions as ExplainOptions, why as explain } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import {
  type AnswerOptions,
  type Hint,
  isVerbose,
  printHints,
  requireOneForm,
  withCommandsTyped,
} from '../output/print.ts';

type Detail = NonNullable<ExplainOptions['detail']>;

export interface WhyOptions extends AnswerOptions {
  readonly detail?: '1' | '2' | '3' | '4';
}

export async function why(
  context: Context,
  [reference, knob]: readonly [run: RunReference, knob: string | undefined],
  options: WhyOptions,
): Promise<number> {
  requireOneForm(context, options);
  const verbose = options.detail !== undefined || isVerbose(options);
  const detail = detailFor(context, knob, { ...options, verbose });
  const why = await explain(context.session, reference, {
    ...(knob === undefined ? {} : { knob }),
    ...(detail === undefined ? {} : { detail }),
  });
  if (context.flags.json) await context.printJson(why);
  else {
    const whole = await whyDocument(why, { verbose });
    // Markdown is read elsewhere, where icecore may be called otherwise.
    const document = options.format === 'md' ? whole : withCommandsTyped(whole, context.session);
    await context.print(document, options);
    const hints = hintsAfter(why);
    const room = verbose ? hints.length : Math.min(mostHints, await roomBelow(context, document));
    await printHints(context, hints.slice(0, room), options);
  }
  return 0;
}

/** A screen that answers first has room for these. */
const mostHints = 3;
const screen = 25;
/** An empty line, and the heading. */
const linesAboveHints = 2;

/** The number of hints that a screen has room for below a short answer. */
async function roomBelow({ io: { stdout, env } }: Context, document: Document): Promise<number> {
  const { terminalText } = await import('../../document/terminal.ts');
  const { isTTY, columns } = stdout;
  const text = terminalText(document, { isTTY, columns, paint: paintFor(stdout, env) });
  return Math.max(0, screen - linesAboveHints - (text.split('\n').length - 1));
}

/** The answer shows the figures that are cited, and of one knob a failed rollout. */
function detailFor(
  { flags }: Context,
  knob: string | undefined,
  { detail, verbose }: { readonly detail?: WhyOptions['detail']; readonly verbose: boolean },
): Detail | undefined {
  if (detail !== undefined) return Number(detail) as Detail;
  return flags.json || verbose || knob !== undefined ? undefined : 3;
}

/** What to look at next, each as it is typed. */
function hintsAfter(why: Why): readonly Hint[] {
  return [
    ...knobHints(why),
    ...otherTurns(why),
    ...testHints(why),
    ...failedHints(why),
    ...contextHints(why),
    ...eventHints(why),
  ];
}

function stageWord({ name }: Why, stage: number): string {
  return shellWord(`${name}@${stage}`);
}

function knobHints(why: Why): readonly Hint[] {
  const drawn = why.changes.find(({ evidence }) => evidence.some(({ exemplars }) => exemplars.length > 0));
  const change = drawn ?? why.changes[0];
  if (why.depth === 4 || change === undefined) return [];
  const purpose = drawn === undefined ? 'one knob in detail' : 'one knob, with a failed rollout';
  return [[purpose, `icecore why ${stageWord(why, why.stage)} ${shellWord(change.knob)}`]];
}

/** Of a knob that did not change here, but in another stage. */
function otherTurns(why: Why): readonly Hint[] {
  const [first] = why.unchanged;
  if (first === undefined || why.changes.length > 0) return [];
  const { knob, last, next } = first;
  const typed = (stage: number): string => `icecore why ${stageWord(why, stage)} ${shellWord(knob)}`;
  if (last !== null) return [['when it changed last', typed(last.stage)]];
  return next === null ? [] : [['when it changes next', typed(next.stage)]];
}

/** Comparing intervals is no test. */
function testHints(why: Why): readonly Hint[] {
  const isKnown = why.effects.some(({ validation }) => validation.overlap !== null);
  if (!why.isOver || !isKnown) return [];
  return [['test the difference', `icecore compare ${stageWord(why, why.stage - 1)} ${stageWord(why, why.stage)}`]];
}

/** If no failed rollout of the family was found in sealed evidence, the tables may have one. */
function failedHints({ asked, changes, exemplars, uncited, name, stage }: Why): readonly Hint[] {
  const [change] = changes;
  const isShown = exemplars.length > 0 || uncited !== null;
  if (asked === null || stage === 1 || isShown || change === undefined || change.family === null) return [];
  const query =
    `SELECT id, task, failure_class FROM rollouts JOIN lineage AS l ON l.recorder_id = rollouts.run_id AND l.stage = rollouts.stage ` +
    `WHERE l.run = ${quote(name)} AND l.stage = ${stage - 1} AND family = ${quote(change.family)} AND NOT success`;
  const typed = /["$`\\!]/.test(query) ? shellWord(query) : `"${query}"`;
  return [['failed rollouts of the stage before', `icecore sql ${typed}`]];
}

function contextHints(why: Why): readonly Hint[] {
  const { context } = why.decision;
  if (context?.isKnown !== true || context.event === null) return [];
  const typed = context.isUsual
    ? `icecore context ${stageWord(why, why.stage)}`
    : `icecore event show ${context.event.event}`;
  return [['what the engineer was shown', typed]];
}

function eventHints({ decision }: Why): readonly Hint[] {
  return decision.adopted === null ? [] : [['the event', `icecore event show ${decision.adopted.event}`]];
}
