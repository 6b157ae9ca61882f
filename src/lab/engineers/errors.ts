// What can go wrong with an engineer, whichever it is.
import { IcecoreError } from '../../../schemas/errors.ts';

export class EngineerClosed extends IcecoreError {
  override readonly name = 'EngineerClosed';

  constructor(engineer: string) {
    super('internal', `the engineer ${engineer} is closed`, { facts: { engineer } });
  }
}
