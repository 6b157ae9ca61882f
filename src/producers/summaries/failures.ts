// The policy's failures: failure classes by family as shares of that family's failures, and exemplary rollouts. How
// often it fails is in another module. The selection of exemplars depends only on the tries, so that equal runs show
// the same ones: each failure class once before any twice, most frequent first, and new classes and families before
// those already shown.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { escapeControls, escapeControlsInLines } from '../../base/escape.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { explained, indented, spoiltLines } from './figures.ts';
import type { Item, Part, Sheet } from './sheet.ts';
import {
  distinct,
  type EvidenceModule,
  type Exemplar,
  evidenceIdOf,
  type Fact,
  figure,
  isSpoilt,
  metFamilies,
  type Recorded,
  type Seen,
  type Summariser,
  type Sums,
} from './summary.ts';

export const failuresModule: EvidenceModule = {
  meaning: 'how the policy fails: failure classes by family, with example rollouts',
  split: 'probe',
  summariser: (descriptor, exemplars) => new Failures(descriptor, { exemplars }),
  sheet: failuresSheet,
};

/** One failure class in one family. */
interface Way {
  readonly family: string;
  readonly failureClass: string;
  count: number;
  readonly items: Sample<Seen>;
}

interface FailuresOptions {
  /** The number of exemplars to show. */
  readonly exemplars: number;
}

/** The maximum number of exemplars of one failure class in one family. */
const mostOfAWay = 4;

/** The maximum number of failure classes, most frequent first: external environments may invent any number of names. */
const mostWays = 12;
const allOthers = 'other';
/** The maximum length of a name that is not in the descriptor. */
const widestName = 40;

export class Failures implements Summariser {
  readonly #descriptor: Descriptor;
  readonly #options: FailuresOptions;
  readonly #ways = new Map<string, Way>();
  /** The number of failures by family. */
  readonly #failed = new Map<string, number>();

  constructor(descriptor: Descriptor, options: FailuresOptions) {
    this.#descriptor = descriptor;
    this.#options = options;
  }

  add(seen: Seen): void {
    if (isSpoilt(seen)) return;
    const { family } = seen;
    if (seen.failureClass === null) return;
    const failureClass = this.#nameOf(seen.failureClass);
    this.#failed.set(family, (this.#failed.get(family) ?? 0) + 1);
    const way = getOrCreate(this.#ways, JSON.stringify([family, failureClass]), () => ({
      family,
      failureClass,
      count: 0,
      items: new Sample<Seen>(mostOfAWay),
    }));
    way.count += 1;
    const lot = hashOf(seen);
    if (way.items.mayDraw(lot)) way.items.add(seen, lot, circumstancesOf(seen));
  }

  sums(): Sums {
    const facts = this.#listed().map((way) => this.#factOf(way));
    const exemplars = this.chosen().map(({ id, family, failureClass, failure }, i): Exemplar => {
      const first = failure?.data.failures[0];
      return {
        evidenceId: `F${i + 1}`,
        rollout: id,
        ...(failure === null ? {} : { failure: failure.id }),
        family,
        class: this.#nameOf(failureClass as string),
        ...(first?.message === undefined ? {} : { description: first.message }),
      };
    });
    return { facts: distinct(facts), exemplars };
  }

  /** The exemplars, in display order. */
  chosen(): readonly Seen[] {
    const candidates = this.#sorted()
      .toSorted((a, b) => b.count - a.count)
      .flatMap((way) => way.items.items().map((seen, round) => ({ seen, round })));
    const chosen: Seen[] = [];
    while (chosen.length < this.#options.exemplars) {
      const next = bestOf(candidates, chosen);
      if (next === -1) break;
      chosen.push(...candidates.splice(next, 1).map(({ seen }) => seen));
    }
    return chosen;
  }

  /** By family, then by frequency. */
  #sorted(): Way[] {
    return metFamilies(this.#descriptor, new Set(this.#failed.keys())).flatMap((family) =>
      [...this.#ways.values()]
        .filter((way) => way.family === family)
        .sort((a, b) => b.count - a.count || (a.failureClass < b.failureClass ? -1 : 1)),
    );
  }

  /** By family, the most frequent classes overall; the rest of each family as one entry at its end. */
  #listed(): Pick<Way, 'family' | 'failureClass' | 'count'>[] {
    const ways = this.#sorted();
    const counts = new Map<string, number>();
    for (const { failureClass, count } of ways) counts.set(failureClass, (counts.get(failureClass) ?? 0) + count);
    if (counts.size <= mostWays) return ways;
    const known = [...counts]
      .filter(([name]) => name !== allOthers)
      .sort(([a, often], [b, seldom]) => seldom - often || (a < b ? -1 : 1))
      .slice(0, mostWays)
      .map(([name]) => name);
    return metFamilies(this.#descriptor, new Set(this.#failed.keys()))
      .map((family) => ways.filter((way) => way.family === family))
      .flatMap((own) => {
        const rest = own.filter(({ failureClass }) => !known.includes(failureClass));
        const count = rest.reduce((sum, way) => sum + way.count, 0);
        const [first] = rest;
        const listed = own.filter(({ failureClass }) => known.includes(failureClass));
        return first === undefined ? listed : [...listed, { family: first.family, failureClass: allOthers, count }];
      });
  }

  #nameOf(failureClass: string): string {
    return listedClass(this.#descriptor, failureClass);
  }

  #factOf({ family, failureClass, count }: Pick<Way, 'family' | 'failureClass' | 'count'>): Fact {
    const of = this.#failed.get(family) as number;
    return {
      evidenceId: evidenceIdOf('FC', family, failureClass),
      family,
      measure: 'failures',
      about: failureClass,
      value: figure(count / of),
      count,
      of,
    };
  }
}

/** The name of a failure class in summaries. */
export function listedClass({ failureClasses = [] }: Descriptor, failureClass: string): string {
  const characters = [...failureClass];
  if (characters.length <= widestName || failureClasses.some((one) => one.class === failureClass)) return failureClass;
  return `${characters.slice(0, widestName - 1).join('')}…`;
}

/** Derived from the try instead of the event's id, which differs between runs. */
function hashOf({ data: { task, sample, answer } }: Seen): string {
  const tried = task?.digest ?? task?.id ?? task?.inline;
  return sha256(canonicalJson([tried ?? null, sample ?? null, answer ?? null]));
}

/** Two failures of a class are alike if they happened at the same step to the same agents. */
function circumstancesOf({ failure }: Seen): string {
  const first = failure?.data.failures[0];
  return canonicalJson([first?.step ?? null, first?.details?.['agents'] ?? null]);
}

/** The first candidate that repeats the least of what was chosen; -1 if there is none. */
function bestOf(candidates: readonly { seen: Seen; round: number }[], chosen: readonly Seen[]): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  candidates.forEach(({ seen, round }, i) => {
    const alike = chosen.filter(({ family }) => family === seen.family).length;
    const likewise = chosen.filter(({ failureClass }) => failureClass === seen.failureClass).length;
    const repeats = round * 1e6 + alike + likewise;
    if (repeats >= least) return;
    best = i;
    least = repeats;
  });
  return best;
}

function failuresSheet({ failureClasses = [], drawings }: Descriptor, summary: Recorded): Sheet {
  const { module, facts, exemplars, rollouts } = summary;
  const opening = [
    'From a fixed pool of tasks of all families; the policy samples its actions. Only failed rollouts are shown.',
    ...spoiltLines(summary),
  ];
  if (facts.length === 0 && exemplars.length === 0) {
    return { module, opening: rollouts === 0 ? opening : [...opening, 'None failed.'], parts: [] };
  }
  const byClass = ({ about, measure }: Fact): string => about ?? measure;
  const table = explained(
    {
      title: 'Failure classes, as shares of the failed rollouts of the family',
      prefix: 'FC',
      facts,
      columnOf: byClass,
    },
    failureClasses.map((one) => [one.class, one.meaning] as const),
  );
  const stand = 'Example rollouts';
  const title = drawings === undefined ? stand : `${stand}. In the drawings, ${escapeControls(drawings)}`;
  const items: Part = { kind: 'exemplars', title, items: exemplars.map(exemplarItem) };
  return {
    module,
    opening,
    parts: [...(facts.length === 0 ? [] : [table]), ...(exemplars.length === 0 ? [] : [items])],
  };
}

function exemplarItem({ evidenceId, family, class: failureClass, drawing, description }: Exemplar): Item {
  const title = [
    evidenceId,
    ...(family === null ? [] : [`family ${escapeControls(family)}`]),
    escapeControls(failureClass ?? ''),
  ];
  const items = drawing === undefined ? [] : escapeControlsInLines(drawing).split('\n');
  const isDrawn = description === undefined || items.some((line) => line.includes(description));
  const said = isDrawn ? [] : [escapeControls(description)];
  return { evidenceIds: [evidenceId], lines: [title.join('  '), ...indented([...said, ...items])] };
}

// Draws a few items from a stream, different kinds first. The result depends only on the items' hashes, not on their
// order.

interface Drawn<Thing> {
  readonly thing: Thing;
  readonly lot: string;
  readonly kind: string;
}

export class Sample<Thing> {
  readonly #most: number;
  /** The items with the smallest hashes, of any kind. */
  #any: Drawn<Thing>[] = [];
  /** For the kinds with the smallest hashes, the item with the smallest hash. */
  #ofKinds: Drawn<Thing>[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether an item with this hash could be drawn, so that the kinds of most items need not be computed. */
  mayDraw(lot: string): boolean {
    return this.#mayHold(this.#any, lot) || this.#mayHold(this.#ofKinds, lot);
  }

  add(thing: Thing, lot: string, kind: string): void {
    const items = { thing, lot, kind };
    if (this.#mayHold(this.#any, lot)) this.#any = this.#smallest([...this.#any, items]);
    const known = this.#ofKinds.find((one) => one.kind === kind);
    if (known !== undefined && known.lot <= lot) return;
    if (!this.#mayHold(this.#ofKinds, lot)) return;
    this.#ofKinds = this.#smallest([...this.#ofKinds.filter((one) => one !== known), items]);
  }

  /** One item per kind first, then the others. */
  items(): Thing[] {
    const rest = this.#any.filter((one) => !this.#ofKinds.includes(one));
    return [...this.#ofKinds, ...rest].slice(0, this.#most).map(({ thing }) => thing);
  }

  #mayHold(held: readonly Drawn<Thing>[], lot: string): boolean {
    return held.length < this.#most || lot < (held.at(-1)?.lot ?? '');
  }

  #smallest(items: Drawn<Thing>[]): Drawn<Thing>[] {
    return items.sort((a, b) => (a.lot < b.lot ? -1 : a.lot > b.lot ? 1 : 0)).slice(0, this.#most);
  }
}
