// What was really decided after a stage, as an arm's decision: what was adopted, whoever proposed it, why nothing that came could
// be used, or the error by which nothing came.
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

/** `identity`: who decided, where it is not said. Null where nothing is decided yet. */
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

/** Where somebody else recorded no error, that there was one is known all the same. */
function erroredDecision({ errors }: StageHistory, { id }: Adopted, engineer: Identity): Decided {
  const error = errors.at(-1);
  const nothing = { error: { kind: 'unavailable', message: 'its engineer could not answer' }, raw: null };
  const data = error?.data ?? { engineer, context: null, ...nothing };
  const actor = actorOf(data.engineer.name);
  return {
    type: 'ArmErrored',
    actor,
    causes: [{ event: error?.id ?? id }],
    data: { ...data, during: 'propose', resumable: false },
  };
}

/** The answer that was of no use, so that the configuration stayed; null where something was adopted. Others were asked beside. */
export function refusedIn({ adopted, rejections }: StageHistory): StageHistory['rejections'][number] | null {
  if (adopted?.data.by !== 'kept') return null;
  const shown = adopted.data.context?.event;
  return rejections.find(({ data }) => data.context?.event === shown) ?? null;
}

/** As it was adopted, whoever decided it. */
function asAdopted(adopted: Adopted, history: RunHistory, stage: StageHistory, identity: Identity): Proposal {
  const { configuration, changes, kept, clamps, rationale, context, proposal } = adopted.data;
  const own = stage.proposals.find(({ id }) => id === proposal)?.data;
  const { predictions = null, engineer = identity } = own ?? {};
  // What somebody changed before adopting it is another decision than the one that was scored.
  const isAsProposed = own?.configuration.digest === configuration.digest;
  const scores = isAsProposed ? own?.scores : scoresOfAdoption(adopted, history, stage, predictions);
  return {
    ...{ engineer, context, configuration, changes, kept, clamps, rationale, predictions },
    ...(scores === undefined ? {} : { scores }),
  };
}

/** Undefined where the record does not say what it was decided about. */
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
