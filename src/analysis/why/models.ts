// The models that answered for a decision, where their endpoint says that they are not the ones that were asked.
import type { WhyDecision } from '../../../schemas/why-output.ts';
import type { Recorded } from '../../producers/history/run-history.ts';
import type { Events } from './evidence.ts';

type OtherModel = WhyDecision['otherModels'][number];

/** Each pair of names once. */
export async function otherModelsIn(
  proposal: Recorded<'ProposalRecorded'> | null,
  events: Events,
): Promise<OtherModel[]> {
  const found = new Map<string, OtherModel>();
  for (const { event } of proposal?.data.answers ?? []) {
    const model = event === undefined ? undefined : (await events.dataOf(event, 'ModelAnswered'))?.model;
    if (model?.reported === undefined || model.reported === model.name) continue;
    const { name: asked, reported } = model;
    found.set(JSON.stringify([asked, reported]), { asked, reported });
  }
  return [...found.values()];
}

export function otherModelText({ asked, reported }: OtherModel): string {
  return `the model ${asked} was asked; its endpoint says that ${reported} answered`;
}
