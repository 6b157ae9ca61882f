// The record of an ablation, folded from its stream: results that exist are not computed again, and reports read from
// here.
import { type AblationOptions, ablationOptions } from '../../../schemas/ablation-options.ts';
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type NewerEvent, newerEvent, type Recorded, recordedAs, stageRun } from '../history/run-history.ts';

/** The place of an arm's event. */
export interface ArmPlace {
  readonly arm: string;
  /** Null for a training that only tests reproducibility. */
  readonly unit: string | null;
  readonly stage: number;
}

/** An event of an arm, with its place. */
export interface OfArm<Type extends TypeName> extends Recorded<Type> {
  readonly place: ArmPlace;
  /** The run whose history it belongs to. */
  readonly run: string;
  /** When the recorder of the event recorded it. */
  readonly at: string;
}

export interface ContextOf extends Recorded<'ContextRecorded'> {
  readonly run: string;
  readonly stage: number;
}

export const keyOf = ({ arm, unit, stage }: ArmPlace): string => JSON.stringify([arm, unit, stage]);

export class AblationRecord {
  readonly ablation: string;
  /** The last revision of its stream; -1 if it is empty. */
  revision = -1;
  started: Recorded<'AblationStarted'> | null = null;
  completed: Recorded<'AblationCompleted'> | null = null;
  at: string | null = null;
  /** The number of events that this version cannot read. */
  opaque = 0;
  /** The first of them that a newer version recorded. */
  newer: NewerEvent | null = null;
  readonly #ids = new Set<string>();
  readonly contexts: ContextOf[] = [];
  readonly proposals = new Map<string, OfArm<'ArmProposed'>>();
  readonly rejections = new Map<string, OfArm<'ArmRejected'>>();
  readonly trainings = new Map<string, OfArm<'ArmTrained'>>();
  /** In the order of recording, including those resolved since. */
  readonly errors: OfArm<'ArmErrored'>[] = [];
  /** By arm, unit and stage, one for each suite. */
  readonly evaluations = new Map<string, OfArm<'ArmEvaluated'>[]>();

  constructor(ablation: string) {
    this.ablation = ablation;
  }

  static async read(ledger: Ledger, ablation: string): Promise<AblationRecord> {
    const record = new AblationRecord(ablation);
    await record.readNew(ledger);
    return record;
  }

  /** The requested options; null if another version recorded them in another form. */
  get options(): AblationOptions | null {
    return ablationOptions.safeParse(this.started?.data.options).data ?? null;
  }

  /** Whether the stream has an event with this id. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Reads new events. */
  async readNew(ledger: Ledger): Promise<void> {
    for await (const events of ledger.read(streamOf.ablation(this.ablation), { from: this.revision + 1 })) {
      for (const event of events) this.#add(event);
    }
  }

  #add(event: StoredEvent): void {
    const { reading, envelope } = event;
    this.revision = event.revision;
    this.#ids.add(event.id);
    const at = recordedAs(event);
    if (!reading.known) {
      this.opaque += 1;
      this.newer ??= newerEvent(event);
      return;
    }
    const stage = stageRun(event);
    const run = envelope.run ?? '';
    const ofArm = (data: OfAnArm) => ({ ...at, at: envelope.at, run, place: placeOf(data, stage) });
    switch (reading.type) {
      case 'AblationStarted':
        this.started = { ...at, data: reading.data };
        this.at = envelope.at;
        break;
      case 'AblationCompleted':
        this.completed = { ...at, data: reading.data };
        break;
      case 'ContextRecorded':
        this.contexts.push({ ...at, data: reading.data, run, stage });
        break;
      case 'ArmProposed':
        put(this.proposals, { ...ofArm(reading.data), data: reading.data });
        break;
      case 'ArmRejected':
        put(this.rejections, { ...ofArm(reading.data), data: reading.data });
        break;
      case 'ArmErrored':
        this.errors.push({ ...ofArm(reading.data), data: reading.data });
        break;
      case 'ArmTrained':
        put(this.trainings, { ...ofArm(reading.data), data: reading.data });
        break;
      case 'ArmEvaluated': {
        const evaluated = { ...ofArm(reading.data), data: reading.data };
        getOrCreate(this.evaluations, keyOf(evaluated.place), () => []).push(evaluated);
        break;
      }
      default:
        break;
    }
  }
}

type OfAnArm = Pick<EventData['ArmProposed'], 'arm' | 'unit'>;

function placeOf({ arm, unit = undefined }: OfAnArm, stage: number): ArmPlace {
  return { arm, unit: unit ?? null, stage };
}

function put<Type extends TypeName>(map: Map<string, OfArm<Type>>, event: OfArm<Type>): void {
  map.set(keyOf(event.place), event);
}
