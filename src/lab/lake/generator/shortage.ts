// What could not be met, kind by kind: never silently fewer.
import { type Kind, kindName } from './kind.ts';
import { mostDraws } from './maker.ts';

export interface LakeShortage {
  readonly kind: Kind;
  readonly asked: number;
  readonly achieved: number;
  readonly says: string;
}

export class Shortages {
  readonly #tallies = new Map<string, { readonly kind: Kind; asked: number; achieved: number; replaced: number }>();

  /** A slot of the kind was filled, was filled with another kind, or stayed empty. */
  count(kind: Kind, outcome: 'met' | 'replaced' | 'empty'): void {
    const name = kindName(kind);
    const tally = this.#tallies.get(name) ?? { kind, asked: 0, achieved: 0, replaced: 0 };
    this.#tallies.set(name, tally);
    tally.asked++;
    if (outcome === 'met') tally.achieved++;
    if (outcome === 'replaced') tally.replaced++;
  }

  list(): LakeShortage[] {
    return [...this.#tallies.values()]
      .filter(({ asked, achieved }) => achieved < asked)
      .map(({ kind, asked, achieved, replaced }) => ({ kind, asked, achieved, says: words(achieved, replaced) }));
  }
}

function words(achieved: number, replaced: number): string {
  const further = achieved > 0 ? 'no further one' : 'none';
  const instead = replaced > 0 ? `; ${replaced} that differ in waiting stand in for them` : '';
  return `${further} was found in ${mostDraws.toLocaleString('en')} draws${instead}`;
}
