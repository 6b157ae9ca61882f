// Records notes about a run. Notes have their own stream, so that they do not interfere with the revision that the loop
// expects.
import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';

export interface Annotation {
  readonly run: string;
  /** Null for a note about the whole run. */
  readonly stage: number | null;
  readonly actor: string;
  readonly data: EventData['RunAnnotated'];
}

export interface Annotated {
  readonly event: string;
  readonly stream: string;
  readonly revision: number;
  /** False if the same note exists. */
  readonly isNew: boolean;
}

/** The same note by the same person has the same id, so it can be repeated after an interruption. Throws EmptyNote. */
export async function annotate(ledger: Ledger, annotation: Annotation): Promise<Annotated> {
  if (annotation.data.note.trim() === '') throw new EmptyNote();
  const stream = streamOf.notes(annotation.run);
  const event = noteEvent(annotation);
  const appended = await ledger.append(stream, [event], { expect: 'any' });
  const [existed] = appended.existed;
  if (existed !== true) return { event: event.id, stream, revision: appended.revision, isNew: true };
  let { revision } = appended;
  for await (const notes of ledger.read(stream))
    revision = notes.find(({ id }) => id === event.id)?.revision ?? revision;
  return { event: event.id, stream, revision, isNew: false };
}

function noteEvent({ run, stage, actor, data }: Annotation): NewEventOf<'RunAnnotated'> {
  const index = Number.parseInt(sha256(JSON.stringify([actor, data])).slice(0, 10), 16);
  return {
    id: eventId({ run, stage: stage ?? 0, kind: codeOf('RunAnnotated'), index }),
    type: 'RunAnnotated',
    version: versionOf('RunAnnotated'),
    at: new Date().toISOString(),
    actor,
    run,
    stage,
    causes: data.event === undefined ? [] : [{ event: data.event }],
    data,
  };
}

class EmptyNote extends IcecoreError {
  override readonly name = 'EmptyNote';

  constructor() {
    super('usage', 'a note: found nothing, allowed: a text', { facts: { field: 'text', found: '' } });
  }
}
