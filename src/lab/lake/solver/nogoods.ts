// What a search learned: that some agents cannot all arrive within certain times, whatever the others do. One lesson rules
// out every question that gives those agents no more time.

export interface Nogood {
  readonly members: readonly number[];
  /** By agent; of the members, the most time that is known to be too little. */
  readonly tooLittle: readonly number[];
}

export class Nogoods {
  readonly #learned: Nogood[] = [];

  get count(): number {
    return this.#learned.length;
  }

  forget(): void {
    this.#learned.length = 0;
  }

  add(nogood: Nogood): void {
    this.#learned.push(nogood);
  }

  /** One that rules these arrivals out. */
  against(arrivals: readonly number[]): Nogood | undefined {
    return this.#learned.find(({ members, tooLittle }) =>
      members.every((agent) => (arrivals[agent] as number) <= (tooLittle[agent] as number)),
    );
  }
}
