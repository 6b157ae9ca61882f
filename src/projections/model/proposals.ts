// Rows about the answers of engineers and arms: one for each proposal, rejection and error.
import type { EventData } from '../../../schemas/catalogue.ts';
import { numberIn } from '../../producers/history/figures.ts';
import { type Event, placeOf, type StreamEvents, textIn } from './events.ts';
import { byBytes, type Row, type Rows, wholeNumber } from './rows.ts';

type Answer = Event<
  'ProposalRecorded' | 'ArmProposed' | 'ProposalRejected' | 'ArmRejected' | 'ProposalErrored' | 'ArmErrored'
>;

export function proposalRows(events: StreamEvents): Rows {
  const answers: readonly Answer[] = [
    ...events.of('ProposalRecorded', 'ArmProposed', 'ProposalRejected', 'ArmRejected', 'ProposalErrored'),
    ...events.of('ArmErrored').filter(({ data }) => data.during === 'propose'),
  ];
  const decided = new Map(events.of('ConfigAdopted').map(({ envelope, revision }) => [envelope.stage, revision]));
  return {
    proposals: answers.map((answer) => ({
      ...answerRow(answer, events),
      // An arm replays earlier decisions, so none of its answers comes too late.
      side_question: answer.revision > (decided.get(answer.envelope.stage) ?? Number.POSITIVE_INFINITY),
    })),
  };
}

function answerRow(answer: Answer, events: StreamEvents): Row {
  const { id, envelope, data } = answer;
  return {
    ...placeOf(answer, events),
    evidence_through: envelope.stage === null ? null : envelope.stage - 1,
    ...outcomeOf(answer),
    engineer: data.engineer.name,
    model: data.engineer.model,
    context_form: data.context?.contextForm,
    input_tokens: wholeNumber(data.usage?.['input']),
    output_tokens: wholeNumber(data.usage?.['output']),
    cost: data.cost?.total,
    currency: data.cost?.currency,
    answers: data.answers?.length,
    calls: data.answers?.map(({ key }) => key),
    sample: data.sample,
    usage: data.usage,
    context: data.context?.digest,
    context_event: data.context?.event,
    happened_at: envelope.at,
    id,
  };
}

function outcomeOf({ type, data }: Answer): Row {
  switch (type) {
    case 'ProposalRecorded':
    case 'ArmProposed':
      return { outcome: 'accepted', ...proposalPart(data) };
    case 'ProposalRejected':
    case 'ArmRejected':
      return { outcome: 'rejected', reason: data.reason, issues: data.issues, raw: textIn(data.raw) };
    case 'ProposalErrored':
    case 'ArmErrored':
      return { outcome: 'errored', reason: data.error.kind, error: data.error.message, raw: textIn(data.raw) };
  }
}

function proposalPart({
  rationale,
  changes,
  kept,
  clamps,
  predictions,
  scores,
  configuration,
}: EventData['ProposalRecorded']): Row {
  return {
    rationale,
    changes: changes.length,
    kept: kept?.length,
    clamps: clamps.length,
    cites: [...new Set([...changes, ...(kept ?? [])].flatMap(({ cites }) => cites ?? []))].sort(byBytes),
    predictions: predictions?.length,
    predicted: predictions,
    citation: numberIn(scores?.citation),
    preservation: numberIn(scores?.preservation),
    usable: numberIn(scores?.usable),
    brier: numberIn(scores?.calibration?.brier),
    rank_correlation: numberIn(scores?.calibration?.rankCorrelation),
    configuration: configuration.digest,
  };
}
