// What could not be met, kind by kind: never silently fewer.
import { hasRoom, type Kind, kindName } from './kind.ts';
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
  readonly #tallies = new Map<string, { readonly kind: Kind; asked: number; achieved: number; replaced: number }>();

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
      .map((tally) => ({ ...tally, says: words(tally) }));
  }
}

function words({ kind, achieved, replaced }: Omit<LakeShortage, 'says'>): string {
  if (!hasRoom(kind)) return 'there is no room for the agents';
  const found = `${achieved > 0 ? 'no further one' : 'none'} was found in ${mostDraws.toLocaleString('en')} draws`;
  return replaced === 0 ? found : `${found}; ${replaced} of another kind stand in`;
}
