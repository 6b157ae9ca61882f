// What can go wrong where a log far away says who was first.
import { IcecoreError } from '../../../schemas/errors.ts';

/** Others write the same stream all the time. */
export class NeverFirst extends IcecoreError {
  override readonly name = 'NeverFirst';

  constructor(stream: string, tries: number) {
    super('unavailable', `${stream}: ${tries} times somebody else's events came first`, {
      facts: { stream, tries },
      remedy: 'See who else writes to it, and run the same again: events that were stored are not stored twice.',
    });
  }
}
