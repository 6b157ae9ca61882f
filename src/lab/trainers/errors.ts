// What can go wrong with a trainer, whichever it is.
import { IcecoreError } from '../../../schemas/errors.ts';

export class TrainerClosed extends IcecoreError {
  override readonly name = 'TrainerClosed';

  constructor(trainer: string) {
    super('internal', `the trainer ${trainer} is closed`, { facts: { trainer } });
  }
}
