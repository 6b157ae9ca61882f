// The decisions that the history of a run has, and the contexts an engineer would have seen there, built from that history alone;
// and whether a recorded context is built again to the same bytes.
import { IcecoreError } from '../../../schemas/errors.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import { type Built, buildContext, builder, ContextTooSmall } from '../contexts/build.ts';
import { nameOfForm } from '../contexts/forms.ts';
import { type Building, NothingToLeaveOut } from '../contexts/module.ts';
import type { Recorded, RunHistory, StageHistory } from '../history/run-history.ts';
import { differenceWords } from '../recompute/account.ts';
import { Texts } from '../recompute/summaries.ts';
import { descriptorOf, type Needed, NoDescriptor, SummaryMissing, type Summing, summedUp } from './summed.ts';

/** What was decided after a stage, as far as it is recorded. */
interface ReplayedDecision {
  /** The stage that is over. */
  readonly stage: number;
  /** Null where nothing was shown, or it is not in the run. */
  readonly context: Recorded<'ContextRecorded'> | null;
  readonly proposal: Recorded<'ProposalRecorded'> | null;
  readonly rejection: Recorded<'ProposalRejected'> | null;
  /** Null where nothing is decided yet. */
  readonly adopted: Recorded<'ConfigAdopted'> | null;
}

/**
 * A decision stands behind every stage that is over and after which something was decided, and behind the last one where
 * the run has more stages to come. Of several questions, the one counts whose answer was adopted.
 */
export function decisionsIn(history: RunHistory): ReplayedDecision[] {
  return history.stages.filter((stage) => isDecision(history, stage)).map(decisionOf);
}

function isDecision({ started, completed }: RunHistory, { stage, completed: over, adopted }: StageHistory): boolean {
  if (adopted !== null) return true;
  return over !== null && completed === null && stage < (started?.data.stages ?? Number.POSITIVE_INFINITY);
}

function decisionOf({ stage, contexts, proposals, rejections, adopted }: StageHistory): ReplayedDecision {
  const chosen = adopted?.data.proposal ?? null;
  const proposal = (chosen === null ? null : proposals.find(({ id }) => id === chosen)) ?? null;
  const refused = rejections.find(({ data }) => data.context?.event === adopted?.data.context?.event);
  const rejection = adopted?.data.by === 'kept' ? (refused ?? null) : null;
  const shown = (proposal ?? rejection ?? adopted)?.data.context ?? null;
  const context = contexts.find(({ id, data }) => id === shown?.event || data.digest === shown?.digest) ?? null;
  const open = adopted === null ? (contexts[0] ?? null) : null;
  return { stage, context: context ?? open, proposal, rejection, adopted };
}

/** Throws NoDecision. */
export function decisionAfter(history: RunHistory, stage: number): ReplayedDecision {
  const all = decisionsIn(history);
  const found = all.find((one) => one.stage === stage);
  if (found !== undefined) return found;
  throw new NoDecision(
    history,
    stage,
    all.map((one) => one.stage),
  );
}

/** What of a history is shown: a form, how long it may be, what is left out of it on purpose. */
export type Sight = Pick<Building, 'form' | 'budget' | 'without'>;

export interface Replaying extends Summing {}

/**
 * The contexts of these forms after a stage, in their order. Throws NoDecision, ErasedText, and what adding up and building
 * do.
 */
export async function contextsAt(
  history: RunHistory,
  stage: number,
  sights: readonly Sight[],
  of: Replaying,
): Promise<Built[]> {
  return (await contextsAfter(history, [stage], sights, of)).get(stage) ?? [];
}

/** The same after several stages; what has to be added up for them is added up at once. */
export async function contextsAfter(
  history: RunHistory,
  stages: readonly number[],
  sights: readonly Sight[],
  of: Replaying,
): Promise<Map<number, Built[]>> {
  for (const stage of stages) decisionAfter(history, stage);
  const whole = (await summedUp(history, neededFor(stages, sights), of)).history;
  const contexts = new Map<number, Built[]>();
  for (const stage of stages) {
    const built: Built[] = [];
    for (const sight of sights) built.push(await contextFrom(whole, stage, sight, of));
    contexts.set(stage, built);
  }
  return contexts;
}

/** What has to be summed up for these forms after these stages. */
function neededFor(stages: readonly number[], sights: readonly Sight[]): Needed[] {
  const modules = [...new Set(sights.flatMap(({ form }) => form.modules))];
  return stages.map((stage) => ({ stage, modules }));
}

/** From what was summed up already. Throws ErasedText, NoDescriptor and what building does. */
export async function contextFrom(history: RunHistory, stage: number, sight: Sight, of: Replaying): Promise<Built> {
  of.signal?.throwIfAborted();
  const texts = new Texts(of.textOf);
  const built = await buildContext({
    descriptor: descriptorOf(history, of),
    history,
    stage,
    ...sight,
    textOf: texts.of,
  });
  if (texts.isLost) throw new ErasedText(history.run, stage, nameOfForm(sight.form));
  return built;
}

/** There is nothing to decide again after this stage. */
export class NoDecision extends IcecoreError {
  override readonly name = 'NoDecision';

  constructor({ run, stages, completed }: RunHistory, stage: number, decided: readonly number[]) {
    super('not-found', `nothing was decided in run ${run} after stage ${stage}: ${whyNone(stages, stage, completed)}`, {
      facts: { run, stage, stages: stages.map((one) => one.stage), decided },
      remedy:
        decided.length === 0
          ? 'A decision stands between two stages: take a run with more than one, or go on with this one.'
          : `There are decisions after stage ${decided.join(', ')}.`,
    });
  }
}

function whyNone(stages: readonly StageHistory[], stage: number, completed: RunHistory['completed']): string {
  const found = stages.find((one) => one.stage === stage);
  if (found === undefined) return `it has ${stages.length === 1 ? 'one stage' : `${stages.length} stages`}`;
  if (found.completed === null) return 'that stage is not over';
  return completed === null ? 'it is the last of those it was asked for' : 'the run ended with it';
}

/** A context rests on a text that is no more. */
export class ErasedText extends IcecoreError {
  override readonly name = 'ErasedText';

  constructor(run: string, stage: number, form: string) {
    super(
      'not-found',
      `a text that the context ${form} of ${run}@${stage} rests on was erased, or its blob is missing`,
      {
        facts: { run, stage, form },
        remedy: 'Take a form without self-summary, or bring back the blob with the text.',
      },
    );
  }
}

type Held =
  | { readonly is: 'equal' }
  /** Another builder made it: that its bytes are others is no fault. */
  | { readonly is: 'other-builder'; readonly builder: string | null; readonly here: string }
  /** Something that it was built from is no more, or never was recorded. */
  | { readonly is: 'missing'; readonly says: string }
  | { readonly is: 'different'; readonly says: string };

/** The context is one that was recorded after this stage. */
export async function heldAgainst(
  history: RunHistory,
  stage: number,
  { data }: Pick<Recorded<'ContextRecorded'>, 'data'>,
  of: Replaying,
): Promise<Held> {
  const { contextForm: form, budget, without = [] } = data;
  const otherwise: Held | null =
    data.builder === builder ? null : { is: 'other-builder', builder: data.builder ?? null, here: builder };
  let built: Built;
  try {
    built = await builtAgain(history, stage, { form, budget, without }, data.digest, of);
  } catch (fault) {
    if (!isLoss(fault)) throw fault;
    return otherwise ?? { is: 'missing', says: fault.message };
  }
  if (built.recorded.digest === data.digest) return { is: 'equal' };
  if (otherwise !== null) return otherwise;
  const text = await of.textOf(data.text);
  if (text === null) return { is: 'missing', says: 'its own text was erased, and it is built otherwise here' };
  return {
    is: 'different',
    says: differenceWords(text, built.shown.text, 'text') ?? 'its digest is not that of its text',
  };
}

/** What was not recorded was not shown either; only where that gives other bytes, or none, is it added up. */
async function builtAgain(
  history: RunHistory,
  stage: number,
  sight: Sight,
  digest: string,
  of: Replaying,
): Promise<Built> {
  const bare = await contextFrom(history, stage, sight, of).catch((fault: unknown) => {
    if (isLoss(fault)) return null;
    throw fault;
  });
  if (bare?.recorded.digest === digest) return bare;
  const whole = await summedUp(history, neededFor([stage], [sight]), of);
  return await contextFrom(whole.history, stage, sight, of);
}

const losses = [ErasedText, NoDescriptor, SummaryMissing, EvidenceMissing, ContextTooSmall, NothingToLeaveOut] as const;

function isLoss(fault: unknown): fault is Error {
  return losses.some((loss) => fault instanceof loss);
}
