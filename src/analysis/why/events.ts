// The events that a decision rests on, found by their ids, one by one: never a stream of rollouts.
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import type { WhyEvent } from '../../../schemas/why-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export class Events {
  readonly #ledger: Ledger;
  readonly #found = new Map<string, Promise<StoredEvent | null>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Whether an event that is not found is not here: elsewhere evidence is not found by its id. */
  get canFind(): boolean {
    return this.#ledger.capabilities.findById;
  }

  /** Null where this ledger has none of that id. */
  at(id: string): Promise<StoredEvent | null> {
    const found = this.#found.get(id) ?? this.#find(id);
    this.#found.set(id, found);
    return found;
  }

  /** Its data; null where there is no such event, or it is of another type or a newer version. */
  async dataOf<Type extends TypeName>(id: string, type: Type): Promise<EventData[Type] | null> {
    const reading = (await this.at(id))?.reading;
    return reading?.known === true && reading.type === type ? (reading.data as EventData[Type]) : null;
  }

  async placed(id: string): Promise<WhyEvent> {
    const found = await this.at(id);
    return { event: id, stream: found?.stream ?? null, revision: found?.revision ?? null };
  }

  async #find(id: string): Promise<StoredEvent | null> {
    const [found] = await this.#ledger.find(id, 1);
    return found ?? null;
  }
}
