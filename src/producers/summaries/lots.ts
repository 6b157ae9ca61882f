// A few drawn from many that go by one after the other, different ones first. Which they are follows from their lots
// alone, and never from the order in which they came.

interface Drawn<Thing> {
  readonly thing: Thing;
  readonly lot: string;
  readonly kind: string;
}

export class Lots<Thing> {
  readonly #most: number;
  /** The smallest lots, whatever their kind. */
  #any: Drawn<Thing>[] = [];
  /** The smallest lot of each kind, of the kinds that have the smallest. */
  #ofKinds: Drawn<Thing>[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether one with this lot could be drawn: of most that come, nobody has to know of which kind they are. */
  mayDraw(lot: string): boolean {
    return this.#mayHold(this.#any, lot) || this.#mayHold(this.#ofKinds, lot);
  }

  add(thing: Thing, lot: string, kind: string): void {
    const drawn = { thing, lot, kind };
    if (this.#mayHold(this.#any, lot)) this.#any = this.#smallest([...this.#any, drawn]);
    const known = this.#ofKinds.find((one) => one.kind === kind);
    if (known !== undefined && known.lot <= lot) return;
    if (!this.#mayHold(this.#ofKinds, lot)) return;
    this.#ofKinds = this.#smallest([...this.#ofKinds.filter((one) => one !== known), drawn]);
  }

  /** One of each kind first, then whatever comes. */
  drawn(): Thing[] {
    const rest = this.#any.filter((one) => !this.#ofKinds.includes(one));
    return [...this.#ofKinds, ...rest].slice(0, this.#most).map(({ thing }) => thing);
  }

  #mayHold(held: readonly Drawn<Thing>[], lot: string): boolean {
    return held.length < this.#most || lot < (held.at(-1)?.lot ?? '');
  }

  #smallest(drawn: Drawn<Thing>[]): Drawn<Thing>[] {
    return drawn.sort((a, b) => (a.lot < b.lot ? -1 : a.lot > b.lot ? 1 : 0)).slice(0, this.#most);
  }
}
