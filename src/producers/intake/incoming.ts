// From one JSON value to an event that can be appended: icecore's own envelope, or a CloudEvent. What the writer may leave
// out is filled in here; whether the event keeps to the catalogue, the ledger checks.
import { eventTypes } from '../../../schemas/catalogue.ts';
import type { EventTypes } from '../../../schemas/check.ts';
import {
  attributeOf,
  BadCloudEvent,
  type Fields,
  fromCloudEvent,
  isAttribute,
  isCloudEvent,
} from '../../../schemas/cloudevents.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { nearest } from '../../../schemas/nearest.ts';
import { fieldOf, found } from '../../../schemas/phrase.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { BadPiece, badPiece } from './faults.ts';
import { requireAsRecorded } from './recorded.ts';
import { refuseRepeatedKeys } from './repeated-keys.ts';

export interface Incoming {
  readonly stream: string;
  readonly event: NewEvent;
}

export interface Defaults {
  /** Where events go that name no stream. */
  readonly stream: string | null;
  /** All events must be of that stream. */
  readonly isOnlyStream: boolean;
  /** The types that events may be of; icecore's own where it is missing. */
  readonly types?: EventTypes | undefined;
  /** The moment of events that name none. */
  readonly now: () => string;
}

const known = new Set([
  'id',
  'stream',
  'type',
  'version',
  'at',
  'actor',
  'run',
  'stage',
  'causes',
  'data',
  // Of events as they are shown. The ledger gives its own; what they say is compared, not taken over.
  'revision',
  'previous',
  'recordedAt',
  'digest',
  'cursor',
  // Of what is shown and not known where it was read.
  'known',
]);

/** Throws BadPiece. */
export function incoming(value: unknown, defaults: Defaults): Incoming {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noObject(value);
  const fields = isCloudEvent(value) ? cloudEventFields(value) : ownFields(value);
  const stream = streamOf(fields, defaults, isCloudEvent(value) ? attributeOf('stream') : 'stream');
  const event = eventOf(fields, stream, defaults);
  if (fields.digest !== undefined) requireAsRecorded(fields, stream, event);
  return { stream, event };
}

function noObject(value: unknown): BadPiece {
  return badPiece('', found(value), 'a JSON object: an event of icecore or a CloudEvent');
}

function cloudEventFields(value: object): Fields {
  try {
    const fields = fromCloudEvent(value as Record<string, unknown>);
    if ('causes' in value && typeof value.causes === 'string') {
      refuseRepeatedKeys(value.causes, 1, ['causes']);
    }
    return fields;
  } catch (error) {
    if (error instanceof BadCloudEvent) throw new BadPiece([error.issue]);
    throw error;
  }
}

function ownFields(value: object): Fields {
  for (const key in value) if (!known.has(key)) throw unknownKey(key);
  return value;
}

function unknownKey(key: string): BadPiece {
  return badPiece(fieldOf([key]), `the unknown field ${JSON.stringify(key)}`, allowedFor(key));
}

function allowedFor(key: string): string {
  if (isAttribute(key)) return 'the fields of an event of icecore; a CloudEvent has "specversion": "1.0" beside it';
  const near = nearest(key, known);
  return near === null ? `the fields ${[...known].slice(0, 10).join(', ')}` : `"${near}", perhaps`;
}

function streamOf(fields: Fields, { stream, isOnlyStream }: Defaults, name: string): string {
  const own = fields.stream ?? stream;
  if (typeof own !== 'string') {
    const allowed = 'the name of a stream; --stream gives one to events that have none';
    throw badPiece(name, found(own ?? undefined), allowed);
  }
  if (isOnlyStream && own !== stream) throw badPiece(name, found(own), `${stream}, because of --expect`);
  return own;
}

/** Fields of the wrong type pass through: the ledger names what is wrong with them. */
function eventOf(fields: Fields, stream: string, defaults: Defaults): NewEvent {
  const type = fields.type as string;
  return {
    id: (typeof fields.id === 'string' ? fields.id.toLowerCase() : fields.id) as string,
    type,
    version: (fields.version ?? currentVersion(type, defaults.types ?? eventTypes)) as number,
    at: (fields.at ?? defaults.now()) as string,
    actor: fields.actor as string,
    run: (fields.run === undefined ? runOf(stream) : fields.run) as string | null,
    stage: (fields.stage === undefined ? stageOf(stream) : fields.stage) as number | null,
    causes: (fields.causes ?? []) as readonly Cause[],
    data: fields.data,
  };
}

function currentVersion(type: string, types: EventTypes): number {
  return types.get(type)?.versions.length ?? 1;
}

function runOf(stream: string): string | null {
  const name = parseStream(stream);
  if (name === null) return null;
  return name.category === 'ablation' ? name.ablation : 'run' in name ? name.run : null;
}

function stageOf(stream: string): number | null {
  const name = parseStream(stream);
  return name?.category === 'evidence' ? name.stage : null;
}
