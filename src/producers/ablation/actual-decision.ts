// The actual decision after a stage, as an arm's decision: what was adopted, why no proposal was usable, or the error
// that prevented a proposal.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { RunHistory, StageHistory } from '../history/run-history.ts';
import { type EvidenceIds, type Scores, scoresOf } from '../proposals/scores.ts';
import { stageIn } from '../run/session.ts';
import { probeHoldout } from '../run/steps/evaluate.ts';
import { actorOf } from '../run/steps/propose.ts';

type Proposal = EventData['ProposalRecorded'];
type Errored = EventData['ProposalErrored'];

type Adopted = NonNullable<StageHistory['adopted']>;
type Identity = Proposal['engineer'];

export type Decided =
  | { type: 'ArmProposed'; actor: string; causes: { event: string }[]; data: Proposal }
  | { type: 'ArmRejected'; actor: string; causes: { event: string }[]; data: EventData['ProposalRejected'] }
  | {
      type: 'ArmErrored';
      actor: string;
      causes: { event: string }[];
      data: Errored & { during: 'propose'; resumable: false };
    };

/** `identity` is the engineer if the record does not name one. Null if nothing was decided yet. */
export function decisionIn(history: RunHistory, after: number, identity: Identity): Decided | null {
  const stage = stageIn(history, after);
  const { adopted } = stage;
  if (adopted === null) return null;
  const rejection = refusedIn(stage);
  if (rejection !== null) {
    const actor = actorOf(rejection.data.engineer.name);
    return { type: 'ArmRejected', actor, causes: [{ event: rejection.id }], data: rejection.data };
  }
  if (adopted.data.by === 'errored') return erroredDecision(stage, adopted, identity);
  const data = asAdopted(adopted, history, stage, identity);
  const causes = [{ event: adopted.data.proposal ?? adopted.id }];
  return { type: 'ArmProposed', actor: actorOf(data.engineer.name), causes, data };
}

/** An error is certain even if another writer did not record it. */
function erroredDecision({ errors }: StageHistory, { id }: Adopted, engineer: Identity): Decided {
  const error = errors.at(-1);
  const nothing = { error: { kind: 'unavailable', message: 'the engineer could not answer' }, raw: null };
  const data = error?.data ?? { engineer, context: null, ...nothing };
  const actor = actorOf(data.engineer.name);
  return {
    type: 'ArmErrored',
    actor,
    causes: [{ event: error?.id ?? id }],
    data: { ...data, during: 'propose', resumable: false },
  };
}

/**
 * The rejected answer that left the configuration unchanged; null if something was adopted. Other engineers may have
 * been asked too.
 */
export function refusedIn({ adopted, rejections }: StageHistory): StageHistory['rejections'][number] | null {
  if (adopted?.data.by !== 'kept') return null;
  const shown = adopted.data.context?.event;
  return rejections.find(({ data }) => data.context?.event === shown) ?? null;
}

/** The adopted decision, whoever made it. */
function asAdopted(adopted: Adopted, history: RunHistory, stage: StageHistory, identity: Identity): Proposal {
  const { configuration, changes, kept, clamps, rationale, context, proposal } = adopted.data;
  const own = stage.proposals.find(({ id }) => id === proposal)?.data;
  const { predictions = null, engineer = identity } = own ?? {};
  // A proposal that was edited before adoption is not the decision that was scored.
  const isAsProposed = own?.configuration.digest === configuration.digest;
  const scores = isAsProposed ? own?.scores : scoresOfAdoption(adopted, history, stage, predictions);
  return {
    ...{ engineer, context, configuration, changes, kept, clamps, rationale, predictions },
    ...(scores === undefined ? {} : { scores }),
  };
}

/** Undefined if the record does not show what the decision was based on. */
function scoresOfAdoption(
  { data }: Adopted,
  { started }: RunHistory,
  stage: StageHistory,
  predictions: Proposal['predictions'],
): Scores | undefined {
  const current = stage.started.data.configuration;
  const descriptor = started?.data.descriptor;
  if (current === undefined || descriptor === undefined) return undefined;
  const { summaries, evaluations } = stage;
  return scoresOf({
    descriptor,
    current: current.whole,
    decision: { ...data, configuration: data.configuration.whole },
    predictions,
    evidenceIds: evidenceIdsOf(data.context, stage),
    behaviour: summaries.find((summary) => summary.data.module === 'behaviour')?.data.facts ?? [],
    probeHoldout: evaluations.find((evaluation) => evaluation.data.suite.name === probeHoldout)?.data ?? null,
  });
}

function evidenceIdsOf(context: Adopted['data']['context'], { contexts }: StageHistory): EvidenceIds | null {
  if (context === null) return null;
  const shown = contexts.find(({ id, data }) => id === context.event || data.digest === context.digest);
  return shown?.data.evidenceIds ?? null;
}
