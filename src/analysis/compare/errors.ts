// What cannot be asked of a comparison, with what could be meant.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { listed } from '../../base/listed.ts';
import type { RunFound } from '../../ledger/runs.ts';

export class TooFewRuns extends IcecoreError {
  override readonly name = 'TooFewRuns';

  constructor(runs: readonly RunFound[], named: number) {
    const [only] = runs;
    const found = only === undefined ? 'none' : only.name;
    const often = named > 1 ? `, ${named} times; a run does not differ from itself` : '';
    super('usage', `a comparison takes two runs or more: found ${found}${often}`, {
      facts: { found: runs.map(({ run }) => run), named },
      remedy:
        only === undefined
          ? 'Name runs, or all of a tag with --tag: icecore runs lists them.'
          : 'Name another one; icecore runs lists them, and icecore diff compares two stages of one run.',
    });
  }
}

export class TooManyRuns extends IcecoreError {
  override readonly name = 'TooManyRuns';

  constructor(found: number, most: number) {
    super('usage', `a comparison takes at most ${most} runs: found ${found}`, {
      facts: { found, allowed: most },
      remedy: 'Name fewer of them, or ask the tables: icecore sql, docs/sql.md.',
    });
  }
}

export class NoSuchTag extends IcecoreError {
  override readonly name = 'NoSuchTag';

  constructor(tag: string, known: readonly string[]) {
    const near = nearestNames(tag, known);
    super('not-found', `--tag: no run has "${tag}"`, {
      facts: { field: '--tag', found: tag, known, nearest: near },
      remedy: perhaps(near, known, 'No run has any.'),
    });
  }
}

/** A suite, a measure or a setting that none of the runs has. */
export class NotAmongRuns extends IcecoreError {
  override readonly name = 'NotAmongRuns';

  constructor(field: string, asked: string, known: readonly string[]) {
    const near = nearestNames(asked, known);
    super('not-found', `${field}: none of these runs has "${asked}"`, {
      facts: { field, found: asked, known, nearest: near },
      remedy: perhaps(near, known, 'Nothing of the kind is recorded of them.'),
    });
  }
}

/** An arm in which two runs of one seed differ in their settings: what would their mean be of? */
export class SeedTwice extends IcecoreError {
  override readonly name = 'SeedTwice';

  constructor(arm: string, seed: string, runs: readonly string[], settings: readonly string[]) {
    super('conflict', `--by puts ${runs.join(' and ')} into one arm, ${arm}, with the same seed ${seed}`, {
      facts: { arm, seed, runs, differ: settings },
      remedy: `They differ in ${listed(settings)}: add that to --by, or leave one of them out.`,
    });
  }
}

function perhaps(near: readonly string[], known: readonly string[], otherwise: string): string {
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  return known.length === 0 ? otherwise : `There are ${listed(known)}.`;
}
