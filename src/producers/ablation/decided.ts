// What was really decided after a stage, as an arm's decision: what was adopted, whoever proposed it, or why nothing that came
// could be used.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { StageHistory } from '../run/history.ts';
import { actorOf } from '../run/steps/propose.ts';

type Proposal = EventData['ProposalRecorded'];

export type Decided =
  | { type: 'ArmProposed'; actor: string; causes: { event: string }[]; data: Proposal }
  | { type: 'ArmRejected'; actor: string; causes: { event: string }[]; data: EventData['ProposalRejected'] };

/** `identity`: who decided, where it is not said. Null where nothing is decided yet. */
export function decisionIn(stage: StageHistory, identity: Proposal['engineer']): Decided | null {
  const { adopted } = stage;
  if (adopted === null) return null;
  const rejection = refusedIn(stage);
  if (rejection !== null) {
    const actor = actorOf(rejection.data.engineer.name);
    return { type: 'ArmRejected', actor, causes: [{ event: rejection.id }], data: rejection.data };
  }
  const data = asAdopted(adopted, stage.proposals, identity);
  const causes = [{ event: adopted.data.proposal ?? adopted.id }];
  return { type: 'ArmProposed', actor: actorOf(data.engineer.name), causes, data };
}

/** The answer that was of no use, so that the configuration stayed; null where something was adopted. Others were asked beside. */
export function refusedIn({ adopted, rejections }: StageHistory): StageHistory['rejections'][number] | null {
  if (adopted?.data.by !== 'carried-over') return null;
  const shown = adopted.data.context?.event;
  return rejections.find(({ data }) => data.context?.event === shown) ?? null;
}

/** As it was adopted, whoever decided it. */
function asAdopted(
  adopted: NonNullable<StageHistory['adopted']>,
  proposals: StageHistory['proposals'],
  identity: Proposal['engineer'],
): Proposal {
  const { configuration, changes, kept, clamps, says, context, proposal, forStage } = adopted.data;
  const own = proposals.find(({ id }) => id === proposal)?.data;
  const { predictions = null, engineer = identity, scores } = own ?? {};
  return {
    ...{ forStage, engineer, context, configuration, changes, kept, clamps, says, predictions },
    ...(scores === undefined ? {} : { scores }),
  };
}
