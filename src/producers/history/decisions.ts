// How the configuration of a stage was decided: who was asked, the answer, the outcome, and whether the predictions
// came true.
import type { Change, Decision, Prediction } from '../../../schemas/run-output.ts';
import { type Configuration, configurationOf, knobDifferences, largestFirst, stepsBy, turn } from './configurations.ts';
import { numberIn, rateOf, unknownRate } from './figures.ts';
import type { RunRead } from './reading.ts';
import { type Adoption, askedFor, type Descriptor, type Recorded, type StageHistory } from './run-history.ts';

type Proposal = Recorded<'ProposalRecorded'>;
type Reasoned = Adoption['data']['changes'][number];

export function decisionFor(read: RunRead, stage: number): Decision {
  const adoption = read.adoptions.get(stage) ?? null;
  const before = askedFor(read, stage);
  const proposal = proposalFor(before, adoption);
  const edited = adoption === null ? null : editedIn(read.descriptor, proposal, adoption.data.configuration);
  const ownReasons = adoption === null ? null : ownReasonsIn(proposal, adoption.data);
  const said = adoption?.data ?? proposal?.data ?? null;
  const { rejections, errors } = partIn(adoption, before);
  const context = said?.context ?? null;
  return {
    stage,
    by: adoption?.data.by ?? null,
    who: whoDecided(adoption, before),
    adopted: adoption?.id ?? null,
    changes: changesFor(read, stage, said?.changes ?? []),
    kept: said?.kept?.map((one) => ({ ...one, cites: copied(one.cites) })) ?? null,
    clamps: said?.clamps.map((one) => ({ ...one })) ?? [],
    rationale: said?.rationale ?? null,
    context:
      context === null
        ? null
        : { digest: context.digest, event: context.event ?? null, form: context.contextForm ?? null },
    proposal: proposal?.id ?? null,
    proposedBy: proposal?.data.engineer.name ?? null,
    edited,
    ownReasons,
    scores: edited === null && (ownReasons ?? []).length === 0 ? scoresOf(proposal) : null,
    predictions: before === null ? null : predictionsOf(proposal, before),
    rejections: rejections.map(({ id, data }) => ({
      event: id,
      engineer: data.engineer.name,
      reason: data.reason,
      issues: data.issues.map((one) => ({ ...one })),
    })),
    errors: errors.map(({ id, data: { engineer, error } }) => ({ event: id, engineer: engineer.name, ...error })),
  };
}

/** The knobs of a proposal that the adopted configuration sets otherwise; null if it is the proposed one, or nothing was proposed. */
export function editedIn(
  descriptor: Descriptor | null,
  proposal: Pick<Proposal, 'data'> | null,
  adopted: Configuration,
): string[] | null {
  if (proposal === null || proposal.data.configuration.digest === adopted.digest) return null;
  const differences = knobDifferences(descriptor, proposal.data.configuration, adopted);
  return differences.filter(({ isChanged }) => isChanged).map(({ knob }) => knob);
}

type Given = Pick<Reasoned, 'knob' | 'cites' | 'reason'>;

/** The knobs for which a decision has other reasons than the proposal gave; null if nothing was proposed. */
function ownReasonsIn(proposal: Proposal | null, { changes, kept }: Adoption['data']): string[] | null {
  if (proposal === null) return null;
  const isGiven = givenIn(proposal.data);
  return [...changes, ...(kept ?? [])].filter((one) => hasReason(one) && !isGiven(one)).map(({ knob }) => knob);
}

export function hasReason({ cites, reason }: Given): boolean {
  return reason !== null || cites !== null;
}

/** Whether a proposal gives the same reason for the knob. */
export function givenIn({ changes, kept }: Pick<Proposal['data'], 'changes' | 'kept'>): (one: Given) => boolean {
  const given = new Map<string, Given>([...changes, ...(kept ?? [])].map((one) => [one.knob, one]));
  return ({ knob, cites, reason }) => {
    const there = given.get(knob);
    return there !== undefined && reason === there.reason && (cites ?? []).join() === (there.cites ?? []).join();
  };
}

/** The actor of everything in an imported run. */
export const importActor = 'producer/import';

/** The adopted one, otherwise the last one. */
function proposalFor(before: StageHistory | null, adoption: Adoption | null): Proposal | null {
  const proposals = before?.proposals ?? [];
  if (adoption === null) return proposals.at(-1) ?? null;
  return proposals.find(({ id }) => id === adoption.data.proposal) ?? null;
}

/**
 * The engineer of the adopted proposal, otherwise of the rejected or missing answer that the decision names as its
 * cause, otherwise of the last one, rejections before errors; or the person. `before` has the answers.
 */
export function whoDecided(adoption: Adoption | null, before: StageHistory | null): string | null {
  if (adoption?.data.by === 'human') return adoption.envelope.actor;
  const { errors, rejections } = partIn(adoption, before);
  const others: readonly Recorded<'ProposalRejected' | 'ProposalErrored'>[] = [...errors, ...rejections];
  const named = others.findLast(({ id }) =>
    adoption?.envelope.causes.some((cause) => 'event' in cause && cause.event === id),
  );
  const decisive = proposalFor(before, adoption) ?? named ?? others.at(-1);
  return decisive?.data.engineer.name ?? null;
}

/** Rejected answers and errors that a decision could know of. */
function partIn(adoption: Adoption | null, before: StageHistory | null) {
  const isPart = ({ id }: Recorded<'ProposalRejected' | 'ProposalErrored'>): boolean =>
    adoption === null || adoption.rejections.includes(id);
  return { rejections: (before?.rejections ?? []).filter(isPart), errors: (before?.errors ?? []).filter(isPart) };
}

/** The differences from the stage before, with their reasons; the largest first. */
export function changesFor(read: RunRead, stage: number, reasons: readonly Reasoned[]): Change[] {
  const [from, to] = [configurationOf(read, stage - 1), configurationOf(read, stage)];
  const steps = stepsBy(read.descriptor);
  const moved =
    from === null || to === null
      ? reasons.map((one) => ({ ...one, ...turn(steps.get(one.knob), one.from, one.to) }))
      : knobDifferences(read.descriptor, from, to);
  const reasonFor = reasonsIn(reasons);
  const changed = moved
    .filter(({ isChanged }) => isChanged)
    .map(({ knob, family, from, to, steps }) => ({ knob, family, from, to, steps, ...reasonFor(knob) }));
  return largestFirst(changed, steps);
}

/** Why a knob was changed, if the decision says so. */
export function reasonsIn(changes: readonly Reasoned[]): (knob: string) => Pick<Change, 'cites' | 'reason'> {
  const reasons = new Map(changes.map((one) => [one.knob, one]));
  return (knob) => ({ cites: copied(reasons.get(knob)?.cites ?? null), reason: reasons.get(knob)?.reason ?? null });
}

function copied(evidenceIds: readonly string[] | null): string[] | null {
  return evidenceIds === null ? null : [...evidenceIds];
}

function scoresOf(proposal: Proposal | null): Decision['scores'] {
  const scores = proposal?.data.scores;
  if (scores === undefined) return null;
  return {
    citation: numberIn(scores.citation),
    preservation: numberIn(scores.preservation),
    usable: numberIn(scores.usable),
    brier: numberIn(scores.calibration?.brier),
    rankCorrelation: numberIn(scores.calibration?.rankCorrelation),
  };
}

/** The predictions, compared with the holdout probes or otherwise with the validation suite. */
function predictionsOf(proposal: Proposal | null, { evaluations }: StageHistory): Prediction[] | null {
  const held = evaluations.findLast(({ data }) => data.split === 'probe-holdout')?.data;
  const against = held ?? evaluations.findLast(({ data }) => data.split === 'validation')?.data ?? null;
  const predictions = proposal?.data.predictions ?? null;
  return (
    predictions?.map(({ family, measure, value }) => {
      const came = against === null ? unknownRate : rateOf(against, measure, family);
      return { family, measure, predicted: value, came, split: came.value === null ? null : (against?.split ?? null) };
    }) ?? null
  );
}
