// What could not be met, kind by kind: never silently fewer.
import type { Split } from '../../environments/environment.ts';
import { type Kind, kindName, whyNone } from './kind.ts';
import { type Made, mostDraws } from './maker.ts';

export interface LakeShortage {
  readonly kind: Kind;
  readonly asked: number;
  readonly achieved: number;
  /** How many of another kind stand in for it. */
  readonly replaced: number;
  readonly says: string;
}

export class Shortages {
  readonly #split: Split;
  readonly #tallies = new Map<string, { readonly kind: Kind; asked: number; achieved: number; replaced: number }>();

  constructor(split: Split) {
    this.#split = split;
  }

  /** For a slot of this kind, this was made. */
  count(kind: Kind, made: Made | null): void {
    const name = kindName(kind);
    const tally = this.#tallies.get(name) ?? { kind, asked: 0, achieved: 0, replaced: 0 };
    this.#tallies.set(name, tally);
    tally.asked++;
    if (made === null) return;
    if (kindName(made.kind) === name) tally.achieved++;
    else tally.replaced++;
  }

  list(): LakeShortage[] {
    return [...this.#tallies.values()]
      .filter(({ asked, achieved }) => achieved < asked)
      .map((tally) => ({ ...tally, says: words(tally, mostDraws(this.#split)) }));
  }
}

function words({ kind, achieved, replaced }: Omit<LakeShortage, 'says'>, draws: number): string {
  const found = `${achieved > 0 ? 'no further one' : 'none'} was found in ${draws.toLocaleString('en')} draws`;
  const why = whyNone(kind) ?? found;
  return replaced === 0 ? why : `${why}; ${replaced} of another kind ${replaced === 1 ? 'stands' : 'stand'} in`;
}
