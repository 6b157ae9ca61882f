// What people noted about a run.
import type { NoteRow, UnknownEvent } from '../../../schemas/run-output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export interface Notes {
  readonly notes: NoteRow[];
  /** What others put among them, and only they know. */
  readonly opaque: readonly StoredEvent[];
}

/** In the order in which they were noted. */
export async function notesOf(ledger: Ledger, run: string): Promise<Notes> {
  const notes: NoteRow[] = [];
  const opaque: StoredEvent[] = [];
  for await (const events of ledger.read(streamOf.notes(run))) {
    notes.push(...events.flatMap(noteIn));
    opaque.push(...events.filter((event) => !event.isKnown));
  }
  return { notes, opaque };
}

export function unknownShown(events: readonly StoredEvent[]): UnknownEvent[] {
  return events.map((event) => ({ ...event.toJSON(), known: false }));
}

function noteIn({ reading, envelope }: StoredEvent): readonly NoteRow[] {
  if (!reading.known || reading.type !== 'RunAnnotated') return [];
  const { note: says, knob = null, event = null, tags = [] } = reading.data;
  const { id, at, actor, stage } = envelope;
  return [{ event: id, at, actor, stage, says, knob, about: event, tags: [...tags] }];
}

/** The tags of a run: its own, and those of notes about it as a whole. */
export function tagsOf(own: readonly string[], notes: readonly NoteRow[]): string[] {
  return [...new Set([...own, ...notes.flatMap(({ stage, tags }) => (stage === null ? tags : []))])];
}
