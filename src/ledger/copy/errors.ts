// What prevents one ledger from being a copy of another.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DuplicateId } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';

/** In the order of the whole ledger, the copy has another event where the original has this one. */
export class NotACopy extends IcecoreError {
  override readonly name = 'NotACopy';

  constructor(from: Ledger, to: Ledger, event: number, here: StoredEvent, there: StoredEvent) {
    const [original, copy] = [withDigest(here), withDigest(there)];
    super('conflict', `${to.url} is no copy of ${from.url}: event ${event} is ${copy}, in the original ${original}`, {
      facts: { from: from.url, to: to.url, event, original, copy },
      remedy:
        'They went different ways: one was written to by itself, or altered (icecore verify). Nothing was written. Copy to a new place, or a run at a time (--run).',
    });
  }
}

function withDigest({ stream, revision, digest }: StoredEvent): string {
  return `${stream}@${revision} (${digest.slice(0, 12)}…)`;
}

/** Everything in the original is in the copy, which has more. */
export class CopyAhead extends IcecoreError {
  override readonly name = 'CopyAhead';

  constructor(from: Ledger, to: Ledger, events: { readonly from: number; readonly to: number }) {
    const has = `${to.url} has ${events.to} events, the ${events.from} of ${from.url} and more`;
    super('conflict', `${has}: it was written to by itself, or the original was set back`, {
      facts: { from: from.url, to: to.url, events },
      remedy:
        'Nothing was written. If the original was set back, the copy is the later one: keep it, and copy to a new place.',
    });
  }
}

/** One run, copied in among what is a copy of everything, would put it out of order. */
export class CopyOfAll extends IcecoreError {
  override readonly name = 'CopyOfAll';

  constructor({ url: from }: Ledger, { url: to }: Ledger) {
    const order = 'a run by itself would give it an order that the original does not have';
    super('conflict', `${to} is a copy of all of ${from}; ${order}`, {
      facts: { from, to },
      remedy: 'Nothing was written. Copy everything, without --run, or copy the run to another place.',
    });
  }
}

/** Another event of the copy has the id of an event. */
export class IdTaken extends IcecoreError {
  override readonly name = 'IdTaken';

  constructor(error: DuplicateId, to: Ledger) {
    super('conflict', `${to.url}: ${error.message}`, {
      facts: error.facts,
      cause: error,
      remedy: 'The ledger has other events of its own under the same ids. Copy to another place.',
    });
  }
}

/** What is there already, and how many events the copy would add to it. */
export interface Extension {
  /** `run a1b2`, or the stream of an answer or an ablation. */
  readonly of: string;
  readonly events: number;
}

/** It would write into what is there already. */
export class RunsExtended extends IcecoreError {
  override readonly name = 'RunsExtended';

  /** `what` is being brought: `the bundle`, or the URL of the original. */
  constructor(what: string, url: string, extensions: readonly Extension[], remedy: string) {
    const shown = extensions.slice(0, 5).map(({ of, events }) => `${events} to ${of}`);
    const more = extensions.length > shown.length ? ` and to ${extensions.length - shown.length} more` : '';
    super('conflict', `${url} has parts of ${what} already, and it would add events: ${shown.join(', ')}${more}`, {
      facts: { url, extensions: extensions.slice(0, 100) },
      remedy,
    });
  }
}

/** What was copied is not what is there. */
export class NotEqual extends IcecoreError {
  override readonly name = 'NotEqual';

  /** `where` is the first place that differs: `event 7`, `notes-x@3`. */
  constructor(where: string, { url }: Ledger) {
    super('damaged', `the copy is not equal to the original: ${url} differs from ${where} on`, {
      facts: { where, to: url },
      remedy:
        'Somebody else wrote to the copy meanwhile, or one of both was altered: run `icecore verify` on both, then copy to a new place.',
    });
  }
}
