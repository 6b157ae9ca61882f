// The events of one decision stream, of a run or an ablation, from which rows are made.
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type Recorded, recordedAs } from '../../producers/history/run-history.ts';
import type { Row } from './rows.ts';

export type Event<Type extends TypeName> = { readonly [One in Type]: Recorded<One> & { readonly type: One } }[Type];

export class StreamEvents {
  readonly #events: readonly Event<TypeName>[];
  /** Null for a run's stream. */
  readonly ablation: string | null;

  constructor(stream: string, events: readonly StoredEvent[]) {
    this.ablation = stream.startsWith('ablation-') ? stream.slice('ablation-'.length) : null;
    this.#events = events.flatMap((event) => {
      const { reading } = event;
      return reading.known ? [{ ...recordedAs(event), type: reading.type, data: reading.data } as Event<TypeName>] : [];
    });
  }

  of<Type extends TypeName>(...types: readonly Type[]): readonly Event<Type>[] {
    return this.#events.filter(({ type }) => types.some((one) => one === type)) as unknown as readonly Event<Type>[];
  }
}

/** The place of an event: run and stage, and within an ablation the arm. */
export function placeOf({ envelope: { run, stage }, data }: Event<TypeName>, { ablation }: StreamEvents): Row {
  const arm = ablation === null ? {} : (data as Partial<Pick<EventData['ArmTrained'], 'arm' | 'unit' | 'armRun'>>);
  return { run_id: run, stage, ablation, arm: arm.arm, unit: arm.unit, arm_run: arm.armRun };
}

/** The last of several events with the same key counts. */
export function lastOf<One extends Event<TypeName>>(
  events: readonly One[],
  keyOf: (event: One) => unknown,
): ReadonlySet<One> {
  return new Set(new Map(events.map((event) => [JSON.stringify(keyOf(event)), event])).values());
}

type Score = EventData['EvaluationRecorded']['results'][number]['value'];

export function reasonIn(score: Score | undefined): string | null {
  return typeof score === 'object' ? score.reason : null;
}

type Text = EventData['SummaryRecorded']['text'];

/** Null if the event names a blob. */
export function textIn(text: Text | undefined): string | null {
  return text !== null && text !== undefined && 'text' in text ? text.text : null;
}
