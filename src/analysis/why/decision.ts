// Who decided, when, on whose proposal, and what they had been shown.
import type { Decision } from '../../../schemas/run-output.ts';
import type { Why, WhyDecision } from '../../../schemas/why-output.ts';
import { recordedContext } from '../../producers/by-hand/shown.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import type { Recorded, StageHistory } from '../../producers/run/history.ts';
import type { Events } from './events.ts';
import type { ShownContext } from './shown.ts';

type Proposal = Recorded<'ProposalRecorded'>;

export interface Deciding {
  readonly read: RunRead;
  readonly events: Events;
  readonly decision: Decision;
  readonly before: StageHistory | null;
  readonly context: ShownContext | null;
}

export async function decisionTold(of: Deciding): Promise<WhyDecision> {
  const { read, events, decision, before } = of;
  const { by, who, adopted, rationale: says, proposal: proposed, scores } = decision;
  const proposal = before?.proposals.find(({ id }) => id === proposed) ?? null;
  const stored = adopted === null ? null : await events.at(adopted);
  return {
    by,
    who,
    engineer: engineerOf(proposal),
    actor: read.adoptions.get(decision.stage)?.envelope.actor ?? null,
    at: stored?.envelope.at ?? null,
    adopted: adopted === null ? null : await events.placed(adopted),
    recordedBy: nameOf(read, stored?.envelope.run ?? null),
    proposal: proposed === null ? null : await events.placed(proposed),
    context: await contextTold(decision.context, of),
    says,
    citation: scores?.citation ?? null,
    preservation: scores?.preservation ?? null,
  };
}

// Events are read-only all the way down, which the types of what is printed need not be.
function engineerOf(proposal: Proposal | null): WhyDecision['engineer'] {
  return proposal === null ? null : (structuredClone(proposal.data.engineer) as WhyDecision['engineer']);
}

/** Of a run further back than its parent nobody was asked for the name. */
function nameOf({ run, name, parent }: RunRead, recorder: string | null): string | null {
  if (recorder === run) return name;
  return recorder !== null && recorder === parent?.run ? parent.name : recorder;
}

async function contextTold(
  named: Decision['context'],
  { read, context, events, before }: Deciding,
): Promise<WhyDecision['context']> {
  if (named === null) return null;
  const id = context?.id ?? named.event;
  return {
    digest: named.digest,
    form: named.form,
    event: id === null ? null : await events.placed(id),
    isKnown: context !== null,
    isUsual: context !== null && before !== null && context.id === usualContext(read, before.stage),
    evidenceIds: Object.keys(context?.data.evidenceIds ?? {}).length,
  };
}

/** In the form and the length of the run; null where none was recorded. */
function usualContext({ history }: RunRead, stage: number): string | null {
  const { contextForm: form, options } = history.started?.data ?? {};
  const tokens = options?.['contextTokens'];
  if (form === undefined) return null;
  const budget = typeof tokens === 'number' ? tokens : 0;
  return recordedContext({ history, stage, form, budget })?.id ?? null;
}

/** What was proposed for the stage and is not what was adopted, nor what is told of where nothing was. */
export function passedOver({ decision, before }: Pick<Deciding, 'decision' | 'before'>): Why['passedOver'] {
  const others = (before?.proposals ?? []).filter(({ id }) => id !== decision.proposal);
  return others.map(({ id, data }) => ({
    event: id,
    engineer: data.engineer.name,
    changes: data.changes.length,
    says: data.rationale,
  }));
}
