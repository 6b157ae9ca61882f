// Answers that are none: what cannot be read, and what is no text.
import { type FaultKind, ModelFault, type Place } from './fault.ts';

/** The beginning of what was found instead, for the message. */
export interface Found {
  readonly status: number;
  readonly contentType: string;
  readonly begins: string;
}

export class NotJson extends ModelFault {
  override readonly name = 'NotJson';
  override readonly fault: FaultKind = 'not-json';
  override readonly mayBePaid = true;

  constructor(place: Place, what: string, found: Found) {
    super(place, `it answers ${what} instead of JSON (${found.contentType}): ${JSON.stringify(found.begins)}`, {
      facts: { ...found },
      remedy: 'Check that "url" is all that comes before /chat/completions of an OpenAI-compatible endpoint.',
    });
  }
}

/** JSON without an answer in it. */
export class NoAnswer extends ModelFault {
  override readonly name = 'NoAnswer';
  override readonly fault: FaultKind = 'no-answer';
  override readonly mayBePaid = true;

  constructor(place: Place, found: string) {
    super(place, `there is no answer in what it says: found ${found}`, { facts: { found } });
  }
}

/** The model would not. */
export class Refused extends ModelFault {
  override readonly name = 'Refused';
  override readonly fault: FaultKind = 'refusal';

  constructor(place: Place, says: string) {
    super(place, `the model refuses: ${JSON.stringify(says)}`, { kind: 'unsupported', facts: { says } });
  }
}

/** Who runs the endpoint held the answer back. */
export class Filtered extends ModelFault {
  override readonly name = 'Filtered';
  override readonly fault: FaultKind = 'content-filter';

  constructor(place: Place) {
    super(place, 'its content filter held the answer back', { kind: 'unsupported' });
  }
}

export class CalledTools extends ModelFault {
  override readonly name = 'CalledTools';
  override readonly fault: FaultKind = 'tool-calls';

  constructor(place: Place) {
    super(place, 'the model calls tools that it was not given, and says nothing', {
      kind: 'unsupported',
      remedy: 'Serve it without tools: vLLM without --enable-auto-tool-choice.',
    });
  }
}
