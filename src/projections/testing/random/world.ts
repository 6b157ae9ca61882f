// The state of a random history: what was recorded so far, stream by stream, for later events to refer to.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { type EventData, type NewEventOf, type TypeName, versionOf } from '../../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../../schemas/envelope.ts';
import { parseStream } from '../../../../schemas/streams.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Draw } from './words.ts';

const begun = Date.UTC(2026, 2, 1);

export interface Written {
  readonly stream: string;
  readonly event: NewEvent;
}

export class World {
  readonly draw: Draw;
  readonly written: Written[] = [];
  readonly #lengths = new Map<string, number>();
  #ids = 0;

  constructor(draw: Draw) {
    this.draw = draw;
  }

  /** Returns its id. */
  add<Type extends TypeName>(
    stream: string,
    type: Type,
    stage: number | null,
    data: EventData[Type],
    also: Also = {},
  ): string {
    const id = this.newId();
    const event: NewEventOf<Type> = {
      id,
      type,
      version: versionOf(type),
      at: this.#moment(),
      actor: this.draw.pick(['producer/run', 'human/ada', 'engineer/gpt-5']),
      run: runIn(stream, also.run),
      stage,
      causes: also.causes ?? [],
      data,
    };
    this.written.push({ stream, event });
    this.#lengths.set(stream, this.lengthOf(stream) + 1);
    return id;
  }

  /** One that no event has. */
  newId(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${this.#ids.toString(16).padStart(12, '0')}`;
  }

  lengthOf(stream: string): number {
    return this.#lengths.get(stream) ?? 0;
  }

  in(stream: string): NewEvent[] {
    return this.written.filter((one) => one.stream === stream).map(({ event }) => event);
  }

  /** Clocks go wrong, and there are time zones. */
  #moment(): string {
    const at = begun + this.draw.below(100_000_000);
    const east = this.draw.pick([0, 0, 0, 2, -11]);
    const local = new Date(at + east * 3_600_000).toISOString().slice(0, -1);
    if (east === 0) return `${local}Z`;
    return `${local}${east < 0 ? '-' : '+'}${String(Math.abs(east)).padStart(2, '0')}:00`;
  }
}

export interface Also {
  /** If its stream does not determine it. */
  readonly run?: string | null;
  readonly causes?: readonly Cause[];
}

function runIn(stream: string, run: string | null | undefined): string | null {
  const name = parseStream(stream);
  return name !== null && 'run' in name ? name.run : (run ?? null);
}

/** In an order in which the streams may have been recorded. */
export async function writeWorld(ledger: Ledger, { written }: World): Promise<void> {
  for (let from = 0; from < written.length; ) {
    const stream = written[from]?.stream ?? '';
    let to = from;
    while (written[to]?.stream === stream) to += 1;
    const events = written.slice(from, to).map(({ event }) => event);
    await ledger.append(stream, events, { expect: 'any' });
    from = to;
  }
}

export type Configuration = EventData['ConfigAdopted']['configuration'];

export function configurationOf(knobs: Configuration['knobs']): Configuration {
  const whole = Object.fromEntries(knobs.map(({ knob, value }) => [knob, value]));
  return { digest: sha256(canonicalJson(whole)), whole, knobs };
}
