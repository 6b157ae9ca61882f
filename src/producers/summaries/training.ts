// How training went, for one who is to redesign what is trained on: which stage it was, what it took, and how much there
// was to learn in each group. How the trainer is set is nobody's business here, and what it drew is for stats to say.
import type { EventData } from '../../../schemas/catalogue.ts';
import { signalInterval } from './alerts.ts';
import { distinct, labelOf } from './labels.ts';
import { type Fact, figure } from './summary.ts';

type Training = EventData['TrainingRecorded'];
type Signal = NonNullable<Training['signal']>[number];

export function trainingFacts(stage: number, { spent = {}, signal = [] }: Training): Fact[] {
  const index: Fact = { label: labelOf('T', null, 'stage'), group: null, measure: 'stage', value: stage };
  const spendings = Object.entries(spent)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([unit, amount]): Fact => ({
        label: labelOf('T', null, unit),
        group: null,
        measure: 'spent',
        about: unit,
        value: amount,
      }),
    );
  return distinct([index, ...spendings, ...signal.flatMap(signalFacts)]);
}

/** With an interval, and without the counts behind it: how often a group was drawn is another fact. */
function signalFacts({ group, groups, withVariance, share, entropy, kl }: Signal): Fact[] {
  const { low, high } = signalInterval({ groups, withVariance });
  const fact = (measure: string, value: Fact['value'] | undefined): Fact[] =>
    value === undefined
      ? []
      : [
          {
            label: labelOf('T', group, measure),
            group,
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
