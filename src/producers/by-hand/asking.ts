// An engineer is asked by hand what it would propose after a stage, and its answer recorded. Nothing is adopted, and the
// run's own question and answer, the first of their kind, stay apart from it.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { buildContext } from '../contexts/build.ts';
import { formNamed } from '../contexts/forms.ts';
import { ask, type Came } from '../proposals/asking.ts';
import { kept } from '../run/checkpoints.ts';
import type { RunHistory, StageHistory } from '../run/history.ts';
import { idOf, type Placed } from '../run/ids.ts';
import type { Decision } from '../run/journal.ts';
import type { Lab } from '../run/lab.ts';
import { seedOf } from '../run/seeds.ts';
import { heldBack } from '../run/steps/evaluate.ts';
import { actorOf, snapshotFor } from '../run/steps/propose.ts';
import { textReader } from '../run/texts.ts';
import { recordedContext } from './shown.ts';

export interface Question {
  readonly history: RunHistory;
  readonly stage: StageHistory;
  /** Whose engineer and context are those that are asked for. */
  readonly settings: RunSettings;
  readonly lab: Lab;
  readonly sample: number;
  readonly blobs: () => Promise<Blobs>;
  /** Of the run. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

type Context = EventData['ContextRecorded'];

export interface Answered {
  readonly came: Came;
  /** What the engineer was shown; null where it is shown nothing. */
  readonly context: Context | null;
  /** Where that is recorded already. */
  readonly recorded: string | null;
}

export async function askByHand(question: Question): Promise<Answered> {
  const { history, stage: over, settings, lab, sample, signal } = question;
  const { stage } = over;
  const descriptor = descriptorOf(question);
  const shown = await shownTo(question);
  const checkpoint = await snapshotFor(question, stage);
  const configuration = over.started.data.configuration?.whole ?? {};
  const came = await ask({
    engineer: lab.engineer,
    environment: lab.environment,
    asked: {
      descriptor,
      stage,
      stages: settings.stages,
      current: configuration,
      first: history.initial?.data.configuration.whole ?? configuration,
      context: shown?.built.shown ?? null,
      checkpoint,
      sample,
      seed: seedOf(settings.seed, 'propose', stage),
      signal,
    },
    context:
      shown === null ? null : { event: shown.recorded ?? '', recorded: shown.built.recorded, shown: shown.built.shown },
    snapshot: checkpoint === null ? null : await kept(checkpoint, null, question.blobs),
    forStage: stage + 1,
    heldBack: over.evaluations.find(({ data }) => data.suite.name === heldBack)?.data ?? null,
    behaviour: over.summaries.find(({ data }) => data.module === 'behaviour')?.data.facts ?? [],
  });
  return {
    came: withContext(came, shown?.recorded ?? null),
    context: shown?.built.recorded ?? null,
    recorded: shown?.recorded ?? null,
  };
}

/** As the run recorded it when it began. */
function descriptorOf({ history, lab }: Question): Descriptor {
  return history.started?.data.descriptor ?? lab.environment.descriptor;
}

async function shownTo(question: Question): Promise<{
  readonly built: Awaited<ReturnType<typeof buildContext>>;
  readonly recorded: string | null;
} | null> {
  const { history, stage: over, settings, lab, blobs } = question;
  const { stage } = over;
  if (lab.engineer.reads.length === 0) return null;
  const building = {
    descriptor: descriptorOf(question),
    history,
    stage,
    form: formNamed(settings.context),
    budget: settings.contextTokens,
    textOf: textReader(blobs),
  };
  const built = await buildContext(building);
  const recorded = recordedContext(building);
  return { built, recorded: recorded?.data.digest === built.recorded.digest ? recorded.id : null };
}

/** The answer with the event that holds its context; null: there is none. */
function withContext(came: Came, event: string | null): Came {
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

/** What is to be recorded of it, one after the other. The context is recorded once. */
export function recordings(
  { context, came }: Answered,
  { stage, lab }: Pick<Question, 'stage' | 'lab'>,
): ((history: RunHistory) => Decision | null)[] {
  const there = (history: RunHistory): string | null =>
    stageIn(history, stage)?.contexts.find(({ data }) => isSame(data, context))?.id ?? null;
  return [
    (history) => {
      const of = stageIn(history, stage);
      if (context === null || of === null || there(history) !== null) return null;
      const causes = of.summaries.map(({ id }) => ({ event: id }));
      const index = freeIndex(history.run, 'ContextRecorded', of, of.contexts);
      return { type: 'ContextRecorded', stage: of.stage, index, actor: 'producer/contexts', causes, data: context };
    },
    (history) => {
      const of = stageIn(history, stage) ?? stage;
      const shown = there(history);
      const actor = actorOf(lab.engineer.identity.name);
      const common = { stage: of.stage, actor, causes: shown === null ? [] : [{ event: shown }] };
      const told = withContext(came, shown);
      if ('proposed' in told) {
        const index = freeIndex(history.run, 'ProposalRecorded', of, of.proposals);
        return { type: 'ProposalRecorded', index, ...common, data: told.proposed };
      }
      const index = freeIndex(history.run, 'ProposalRejected', of, of.rejections);
      return { type: 'ProposalRejected', index, ...common, data: told.rejected };
    },
  ];
}

function stageIn({ stages }: RunHistory, { stage }: StageHistory): StageHistory | null {
  return stages.find((one) => one.stage === stage) ?? null;
}

function isSame(one: Context, other: Context | null): boolean {
  return one.digest === other?.digest && one.budget === other.budget && one.form.name === other.form.name;
}

/** The first of a kind is the run's own, also where it is not there yet. */
function freeIndex(
  run: string,
  type: Placed['type'],
  { stage }: StageHistory,
  events: readonly { readonly id: string }[],
): number {
  const taken = new Set(events.map(({ id }) => id));
  for (let index = 1; ; index++) if (!taken.has(idOf(run, { type, stage, index }))) return index;
}
