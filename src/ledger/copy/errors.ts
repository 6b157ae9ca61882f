// The reasons why one ledger cannot become a copy of another.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DuplicateId } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';

/** In the order of the whole ledger, the copy has another event in the place of this one. */
export function notACopy(from: Ledger, to: Ledger, event: number, here: StoredEvent, there: StoredEvent): IcecoreError {
  const [original, copy] = [withDigest(here), withDigest(there)];
  return new IcecoreError(
    'conflict',
    `${to.url} is not a copy of ${from.url}: event ${event} is ${copy}, in the original ${original}`,
    {
      name: 'NotACopy',
      facts: { from: from.url, to: to.url, event, original, copy },
      remedy:
        'They have diverged: one was written to separately, or altered (icecore verify). Nothing was written. Copy to a new place, or copy single runs (--run).',
    },
  );
}

function withDigest({ stream, revision, digest }: StoredEvent): string {
  return `${stream}@${revision} (${digest.slice(0, 12)}…)`;
}

/** The copy contains the whole original and more. */
export function copyAhead(
  from: Ledger,
  to: Ledger,
  events: { readonly from: number; readonly to: number },
): IcecoreError {
  const has = `${to.url} has ${events.to} events, the ${events.from} of ${from.url} and more`;
  return new IcecoreError(
    'conflict',
    `${has}: it was written to separately, or the original was restored from an older state`,
    {
      name: 'CopyAhead',
      facts: { from: from.url, to: to.url, events },
      remedy:
        'Nothing was written. If the original was restored from an older state, the copy is newer: keep it, and copy to a new place.',
    },
  );
}

/** Copying one run into a copy of the whole ledger would break its order. */
export function copyOfAll({ url: from }: Ledger, { url: to }: Ledger): IcecoreError {
  const order = 'a single run would give it an order that the original does not have';
  return new IcecoreError('conflict', `${to} is a copy of all of ${from}; ${order}`, {
    name: 'CopyOfAll',
    facts: { from, to },
    remedy: 'Nothing was written. Copy everything, without --run, or copy the run to another place.',
  });
}

/** Another event of the copy has the same id. */
export function idTaken(error: DuplicateId, to: Ledger): IcecoreError {
  return new IcecoreError('conflict', `${to.url}: ${error.message}`, {
    name: 'IdTaken',
    facts: error.facts,
    cause: error,
    remedy: 'The ledger has other events with the same ids. Copy to another place.',
  });
}

/** What already exists, and the number of events the copy would add to it. */
export interface Extension {
  /** `run a1b2`, or the stream of an answer or an ablation. */
  readonly of: string;
  readonly events: number;
}

/** The copy would add to existing runs, ablations or answers. `what` is the source: `the bundle`, or the URL of the original. */
export function runsExtended(
  what: string,
  url: string,
  extensions: readonly Extension[],
  remedy: string,
): IcecoreError {
  const shown = extensions.slice(0, 5).map(({ of, events }) => `${events} to ${of}`);
  const more = extensions.length > shown.length ? ` and to ${extensions.length - shown.length} more` : '';
  return new IcecoreError(
    'conflict',
    `${url} has parts of ${what} already, and it would add events: ${shown.join(', ')}${more}`,
    { name: 'RunsExtended', facts: { url, extensions: extensions.slice(0, 100) }, remedy },
  );
}

/** The copy differs from the original after copying. `where` is the first place that differs: `event 7`, `notes-x@3`. */
export function notEqual(where: string, { url }: Ledger): IcecoreError {
  return new IcecoreError('damaged', `the copy is not equal to the original: ${url} differs from ${where} on`, {
    name: 'NotEqual',
    facts: { where, to: url },
    remedy:
      'Another program wrote to the copy meanwhile, or one of them was altered: run `icecore verify` on both, then copy to a new place.',
  });
}
