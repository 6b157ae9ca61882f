// The reasons why one ledger cannot become a copy of another.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DuplicateId } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';

/** In the order of the whole ledger, the copy has another event in the place of this one. */
export class NotACopy extends IcecoreError {
  override readonly name = 'NotACopy';

  constructor(from: Ledger, to: Ledger, event: number, here: StoredEvent, there: StoredEvent) {
    const [original, copy] = [withDigest(here), withDigest(there)];
    super(
      'conflict',
      `${to.url} is not a copy of ${from.url}: event ${event} is ${copy}, in the original ${original}`,
      {
        facts: { from: from.url, to: to.url, event, original, copy },
        remedy:
          'They have diverged: one was written to separately, or altered (icecore verify). Nothing was written. Copy to a new place, or copy single runs (--run).',
      },
    );
  }
}

function withDigest({ stream, revision, digest }: StoredEvent): string {
  return `${stream}@${revision} (${digest.slice(0, 12)}…)`;
}

/** The copy contains the whole original and more. */
export class CopyAhead extends IcecoreError {
  override readonly name = 'CopyAhead';

  constructor(from: Ledger, to: Ledger, events: { readonly from: number; readonly to: number }) {
    const has = `${to.url} has ${events.to} events, the ${events.from} of ${from.url} and more`;
    super('conflict', `${has}: it was written to separately, or the original was restored from an older state`, {
      facts: { from: from.url, to: to.url, events },
      remedy:
        'Nothing was written. If the original was restored from an older state, the copy is newer: keep it, and copy to a new place.',
    });
  }
}

/** Copying one run into a copy of the whole ledger would break its order. */
export class CopyOfAll extends IcecoreError {
  override readonly name = 'CopyOfAll';

  constructor({ url: from }: Ledger, { url: to }: Ledger) {
    const order = 'a single run would give it an order that the original does not have';
    super('conflict', `${to} is a copy of all of ${from}; ${order}`, {
      facts: { from, to },
      remedy: 'Nothing was written. Copy everything, without --run, or copy the run to another place.',
    });
  }
}

/** Another event of the copy has the same id. */
export class IdTaken extends IcecoreError {
  override readonly name = 'IdTaken';

  constructor(error: DuplicateId, to: Ledger) {
    super('conflict', `${to.url}: ${error.message}`, {
      facts: error.facts,
      cause: error,
      remedy: 'The ledger has other events with the same ids. Copy to another place.',
    });
  }
}

/** What already exists, and the number of events the copy would add to it. */
export interface Extension {
  /** `run a1b2`, or the stream of an answer or an ablation. */
  readonly of: string;
  readonly events: number;
}

/** The copy would add to existing runs, ablations or answers. */
export class RunsExtended extends IcecoreError {
  override readonly name = 'RunsExtended';

  /** `what` is the source: `the bundle`, or the URL of the original. */
  constructor(what: string, url: string, extensions: readonly Extension[], remedy: string) {
    const shown = extensions.slice(0, 5).map(({ of, events }) => `${events} to ${of}`);
    const more = extensions.length > shown.length ? ` and to ${extensions.length - shown.length} more` : '';
    super('conflict', `${url} has parts of ${what} already, and it would add events: ${shown.join(', ')}${more}`, {
      facts: { url, extensions: extensions.slice(0, 100) },
      remedy,
    });
  }
}

/** The copy differs from the original after copying. */
export class NotEqual extends IcecoreError {
  override readonly name = 'NotEqual';

  /** `where` is the first place that differs: `event 7`, `notes-x@3`. */
  constructor(where: string, { url }: Ledger) {
    super('damaged', `the copy is not equal to the original: ${url} differs from ${where} on`, {
      facts: { where, to: url },
      remedy:
        'Another program wrote to the copy meanwhile, or one of them was altered: run `icecore verify` on both, then copy to a new place.',
    });
  }
}
