// Between two stages: the engineer's context, its proposal, and the decision. If an engineer cannot answer, nothing is
// decided: the run stops, unless it is set to continue with its current configuration.
import type { TypeName } from '../../../../schemas/catalogue.ts';
import { asRecorded } from '../../contexts/as-recorded.ts';
import { buildContext } from '../../contexts/build.ts';
import type { Recorded } from '../../history/run-history.ts';
import { EngineerErrored, type EngineerQuestion } from '../../proposals/asking.ts';
import { idOf } from '../ids.ts';
import type { Decision } from '../journal.ts';
import { askAfter, buildingAfter } from '../question.ts';
import { required, type StepInput, stageIn } from '../session.ts';
import { runActor } from './bounds.ts';

export async function show(at: StepInput, stage: number): Promise<Decision> {
  // The same version always builds the same context, because it depends only on the history up to the stage.
  const { recorded } = await buildContext(buildingAfter(at, stage));
  return {
    type: 'ContextRecorded',
    stage,
    index: 0,
    actor: 'producer/contexts',
    causes: stageIn(at.history, stage).summaries.map(({ id }) => ({ event: id })),
    data: recorded,
  };
}

/** Throws EngineerErrored. */
export async function propose(at: StepInput, stage: number): Promise<Decision> {
  const { run, lab, history, settings } = at;
  const contextId = idOf(run, { type: 'ContextRecorded', stage, index: 0 });
  const recorded = stageIn(history, stage).contexts.find(({ id }) => id === contextId) ?? null;
  const context = recorded === null ? null : await contextOf(at, stage, recorded);
  const common = {
    stage,
    index: 0,
    actor: actorOf(lab.engineer.identity.name),
    causes: recorded === null ? [] : [{ event: recorded.id }],
  };
  try {
    const came = await askAfter(at, stage, context, 0);
    if ('rejected' in came) return { type: 'ProposalRejected', ...common, data: came.rejected };
    return { type: 'ProposalRecorded', ...common, data: came.proposed };
  } catch (fault) {
    if (!(fault instanceof EngineerErrored) || settings.onError !== 'keep') throw fault;
    return { type: 'ProposalErrored', ...common, data: fault.errored };
  }
}

/** The recorded context is shown, even if this version would build it differently. */
async function contextOf(
  at: StepInput,
  stage: number,
  { id, data }: Recorded<'ContextRecorded'>,
): Promise<NonNullable<EngineerQuestion['context']>> {
  const building = buildingAfter(at, stage);
  const shown = await asRecorded(data, await buildContext(building), building.textOf);
  return { event: id, recorded: data, shown };
}

/** Engineers may be models with any name, but an actor is a single word. */
export function actorOf(engineer: string): string {
  return `engineer/${engineer.replaceAll(/[\s/]+/g, '-') || 'unnamed'}`;
}

/** Adopts the proposal; without a usable one, the configuration stays. */
export function adopt({ run, history }: Pick<StepInput, 'run' | 'history'>, stage: number): Decision {
  const { proposals, started, rejections, errors } = stageIn(history, stage);
  const own = <Type extends TypeName>(type: Type, events: readonly Recorded<Type>[]): Recorded<Type> | undefined =>
    events.find(({ id }) => id === idOf(run, { type, stage, index: 0 }));
  const proposal = own('ProposalRecorded', proposals);
  const current = required(started.data.configuration, 'a configuration');
  const place = { type: 'ConfigAdopted', stage, index: 0, actor: runActor } as const;
  if (proposal === undefined) {
    const rejection = own('ProposalRejected', rejections);
    const answer = rejection ?? own('ProposalErrored', errors);
    return {
      ...place,
      causes: answer === undefined ? [] : [{ event: answer.id }],
      data: {
        by: answer === rejection ? 'kept' : 'errored',
        proposal: null,
        context: answer?.data.context ?? null,
        configuration: current,
        previous: current.digest,
        changes: [],
        kept: null,
        clamps: [],
        rationale: null,
      },
    };
  }
  const { context, configuration, changes, kept: keptKnobs, clamps, rationale } = proposal.data;
  return {
    ...place,
    causes: [{ event: proposal.id }],
    data: {
      by: 'engineer',
      proposal: proposal.id,
      context,
      configuration,
      previous: current.digest,
      changes,
      kept: keptKnobs,
      clamps,
      rationale,
    },
  };
}
