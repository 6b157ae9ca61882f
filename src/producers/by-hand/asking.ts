// Asks an engineer for a proposal by hand and records the answer without adopting it. It is separate from the run's own
// question.

import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { NextFile } from '../../../schemas/next-file.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type BuiltContext, buildContext } from '../contexts/build.ts';
import { recordedContext } from '../history/citing.ts';
import { nameOf } from '../history/name.ts';
import { type RunHistory, type StageHistory, stageAt } from '../history/run-history.ts';
import type { EngineerResult } from '../proposals/asking.ts';
import { idOf, type Placed } from '../run/ids.ts';
import type { Decision } from '../run/journal.ts';
import { type Asker, askAfter, buildingAfter } from '../run/question.ts';
import { actorOf } from '../run/steps/propose.ts';

/** A complete stage. Throws StageNotOver. */
export function stageOver(history: RunHistory, stage: number): StageHistory {
  const found = stageAt(history, stage);
  if (found === null || found.completed === null) throw new StageNotOver(history, stage);
  return found;
}

class StageNotOver extends IcecoreError {
  override readonly name = 'StageNotOver';

  constructor(history: RunHistory, stage: number) {
    const name = nameOf(history);
    super('not-found', `stage ${stage} of ${name} is not complete`, {
      facts: { run: history.run, stage },
      remedy: `icecore show ${shellWord(name)} shows its stages.`,
    });
  }
}

/** The settings contain the chosen engineer and context. */
interface Question extends Asker {
  readonly stage: StageHistory;
  readonly sample: number;
}

type Context = EventData['ContextRecorded'];

export interface Answered {
  readonly came: EngineerResult;
  /** The context of the engineer; null if it reads none. */
  readonly context: Context | null;
  /** The id of the event if it is already recorded. */
  readonly recorded: string | null;
}

/** Throws EngineerErrored: an engineer that cannot answer leaves nothing to record. */
export async function askByHand(question: Question): Promise<Answered> {
  const { stage: over, sample } = question;
  const shown = await shownTo(question);
  const context =
    shown === null ? null : { event: shown.recorded ?? '', recorded: shown.built.recorded, shown: shown.built.shown };
  const came = await askAfter(question, over.stage, context, sample);
  return {
    came: withContext(came, shown?.recorded ?? null),
    context: shown?.built.recorded ?? null,
    recorded: shown?.recorded ?? null,
  };
}

async function shownTo(question: Question): Promise<{
  readonly built: BuiltContext;
  readonly recorded: string | null;
} | null> {
  const { stage: over, lab } = question;
  if (lab.engineer.reads.length === 0) return null;
  const building = buildingAfter(question, over.stage);
  const built = await buildContext(building);
  const recorded = recordedContext(building);
  return { built, recorded: recorded?.data.digest === built.recorded.digest ? recorded.id : null };
}

/** The answer with the id of its context's event; null if there is none. */
function withContext(came: EngineerResult, event: string | null): EngineerResult {
  return 'proposed' in came
    ? { proposed: { ...came.proposed, context: reference(came.proposed.context, event) } }
    : { rejected: { ...came.rejected, context: reference(came.rejected.context, event) } };
}

type Reference = EventData['ProposalRecorded']['context'];

function reference(context: Reference, event: string | null): Reference {
  if (context === null) return null;
  const { event: _, ...rest } = context;
  return event === null ? rest : { ...rest, event };
}

/** The events to record, in order. The context is recorded once. */
export function recordings(
  { context, came }: Answered,
  { stage, lab }: Pick<Question, 'stage' | 'lab'>,
): ((history: RunHistory) => Decision | null)[] {
  const there = (history: RunHistory): string | null =>
    stageAt(history, stage.stage)?.contexts.find(({ data }) => isSame(data, context))?.id ?? null;
  return [
    (history) => {
      const of = stageAt(history, stage.stage);
      if (context === null || of === null || there(history) !== null) return null;
      const causes = of.summaries.map(({ id }) => ({ event: id }));
      const index = freeIndex(history.run, 'ContextRecorded', of, of.contexts);
      return { type: 'ContextRecorded', stage: of.stage, index, actor: 'producer/contexts', causes, data: context };
    },
    (history) => {
      const of = stageAt(history, stage.stage) ?? stage;
      const shown = there(history);
      const actor = actorOf(lab.engineer.identity.name);
      const common = { stage: of.stage, actor, causes: shown === null ? [] : [{ event: shown }] };
      const answer = withContext(came, shown);
      if ('proposed' in answer) {
        const index = freeIndex(history.run, 'ProposalRecorded', of, of.proposals);
        return { type: 'ProposalRecorded', index, ...common, data: answer.proposed };
      }
      const index = freeIndex(history.run, 'ProposalRejected', of, of.rejections);
      return { type: 'ProposalRejected', index, ...common, data: answer.rejected };
    },
  ];
}

function isSame(one: Context, other: Context | null): boolean {
  return one.digest === other?.digest && one.budget === other.budget && one.contextForm.name === other.contextForm.name;
}

/** Index 0 is reserved for the run's own, even before it exists. */
function freeIndex(
  run: string,
  type: Placed['type'],
  { stage }: StageHistory,
  events: readonly { readonly id: string }[],
): number {
  const taken = new Set(events.map(({ id }) => id));
  for (let index = 1; ; index++) if (!taken.has(idOf(run, { type, stage, index }))) return index;
}

type Proposed = EventData['ProposalRecorded'];
type Reason = Pick<Proposed['changes'][number], 'knob' | 'cites' | 'reason'>;

interface MadeFor {
  readonly run: string;
  readonly stage: number;
  readonly current: string;
  /** Null if it was not recorded. */
  readonly proposal: string | null;
}

export function nextFileOf(proposed: Proposed, { run, stage, current, proposal }: MadeFor): NextFile {
  const { configuration, changes, kept, context, rationale } = proposed;
  return {
    run,
    stage,
    current,
    proposal,
    context: context?.digest ?? null,
    configuration: { ...configuration.whole },
    reasons: reasonsBy(changes),
    kept: reasonsBy(kept ?? []),
    rationale,
  };
}

function reasonsBy(reasons: readonly Reason[]): NonNullable<NextFile['reasons']> {
  return Object.fromEntries(
    reasons.map(({ knob, cites, reason }) => [knob, { cites: cites === null ? null : [...cites], reason }]),
  );
}
