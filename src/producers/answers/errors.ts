// What can go wrong with recorded answers.
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';

/** Somebody else asked the same at the same time and was first: that answer counts, and is there to be found. */
export class AnsweredBefore extends IcecoreError {
  override readonly name = 'AnsweredBefore';

  constructor(key: string) {
    super('conflict', `another answer was recorded in ${streamOf.answer(key)} first`, {
      facts: { key },
      remedy: 'Ask again: the recorded answer is given.',
    });
  }
}

/** It was paid for and recorded, and its text is no more. To ask again would be to ask something twice. */
export class AnswerLost extends IcecoreError {
  override readonly name = 'AnswerLost';

  constructor(key: string, place: string, blobs: string) {
    super('not-found', `the text of the answer recorded at ${place} is not in ${blobs}: it was erased or lost`, {
      facts: { key, place, blobs },
      remedy: 'Bring the blob back, or ask for another draw with another seed.',
    });
  }
}

/** Recorded by a newer icecore, in words this one does not know. */
export class AnswerUnreadable extends IcecoreError {
  override readonly name = 'AnswerUnreadable';

  constructor(key: string, place: string) {
    super('newer-format', `the answer recorded at ${place} was written by a newer icecore`, {
      facts: { key, place },
      remedy: 'Use that icecore, or a newer one.',
    });
  }
}
