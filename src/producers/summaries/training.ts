// How training went, for one who is to redesign what is trained on: which stage it was, what it took, and how much there
// was to learn in each family. How the trainer is set is nobody's business here, and what it drew is for stats to say.
import type { EventData } from '../../../schemas/catalogue.ts';
import { signalInterval } from './alerts.ts';
import { alertLines, byMeasure, explained, factTable, type Meanings } from './figures.ts';
import { distinct, evidenceIdOf } from './labels.ts';
import type { Sheet } from './sheet.ts';
import { type Fact, figure, type Recorded } from './summary.ts';

type Training = EventData['TrainingRecorded'];
type Signal = NonNullable<Training['learningSignal']>[number];

export function trainingFacts(stage: number, { spent = {}, learningSignal = [] }: Training): Fact[] {
  const index: Fact = { evidenceId: evidenceIdOf('T', null, 'stage'), family: null, measure: 'stage', value: stage };
  const spendings = Object.entries(spent)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([unit, amount]): Fact => ({
        evidenceId: evidenceIdOf('T', null, unit),
        family: null,
        measure: 'spent',
        about: unit,
        value: amount,
      }),
    );
  return distinct([index, ...spendings, ...learningSignal.flatMap(signalFacts)]);
}

/** With an interval, and without the counts behind it: how often a family was drawn is another fact. */
function signalFacts({ family, sampleGroups, withVariance, share, entropy, kl }: Signal): Fact[] {
  const { low, high } = signalInterval({ sampleGroups, withVariance });
  const fact = (measure: string, value: Fact['value'] | undefined): Fact[] =>
    value === undefined
      ? []
      : [
          {
            evidenceId: evidenceIdOf('T', family, measure),
            family,
            measure,
            value: typeof value === 'number' ? figure(value) : value,
          },
        ];
  return [
    ...fact('signal', share).map((one) => ({ ...one, low: figure(low), high: figure(high) })),
    ...fact('entropy', entropy),
    ...fact('kl', kl),
  ];
}

export function trainingSheet({ module, facts, alerts }: Recorded): Sheet {
  const isBookkeeping = ({ measure }: Fact): boolean => measure === 'stage' || measure === 'spent';
  const bookkeeping = factTable({
    title: 'What it took',
    prefix: 'T',
    facts: facts.filter(isBookkeeping),
    columnOf: ({ measure, about }) => about ?? measure,
  });
  const signal = facts.filter((fact) => !isBookkeeping(fact));
  const table = explained(
    { title: 'What there was to learn', prefix: 'T', facts: signal, columnOf: byMeasure },
    signalMeanings,
  );
  return { module, opening: alertLines(alerts), parts: [bookkeeping, ...(signal.length === 0 ? [] : [table])] };
}

const signalMeanings: Meanings = [
  ['signal', 'the share of tasks whose samples differ in reward; where all succeed or all fail, nothing is learnt'],
  ['entropy', 'of the choices of the policy, in nats: how unsure it is'],
  ['kl', 'how far the policy has moved from its reference'],
];
