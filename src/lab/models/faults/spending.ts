// Money that may not be spent.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { type FaultKind, ModelFault, type Place } from './fault.ts';

export class SpendingCapReached extends ModelFault {
  override readonly name = 'SpendingCapReached';
  override readonly fault: FaultKind = 'spending-cap';
  override readonly isHopeless = true;

  constructor(place: Place, currency: string, cap: number, spent: number, next: number) {
    const amount = (value: number): string => `${Number(value.toPrecision(4))} ${currency}`;
    super(place, `${amount(spent)} of ${amount(cap)} are spent, and the next answer may cost ${amount(next)}`, {
      facts: { currency, cap, spent, next },
      remedy: 'Raise the cap, or lower max_tokens, and run the same again: what was answered is not asked again.',
    });
  }
}

/** Under a cap, nothing is asked of which nobody knows what it can cost. */
export class CostUnknown extends IcecoreError {
  override readonly name = 'CostUnknown';

  constructor(entry: string, found: string, remedy: string) {
    super('bad-input', `there is a spending cap, and the model ${entry} has ${found}`, {
      facts: { model: entry, found },
      remedy,
    });
  }
}
