// Events as a writer would send them, a line of JSON each.
import type { NewEvent } from '../../../schemas/envelope.ts';
import { evidenceStream, note, notesStream, rollout } from '../../ledger/contract/samples.ts';

export { evidenceStream, notesStream };

export type Sent = Partial<NewEvent> & { readonly stream?: string };

export function sentRollout(index: number, data: Readonly<Record<string, unknown>> = {}): Sent {
  const event = rollout(index);
  return { ...event, stream: evidenceStream, data: { ...event.data, ...data } };
}

export function sentNote(index: number, says?: string): Sent {
  return { ...note(index, says), stream: notesStream };
}

export function rollouts(count: number, from = 0): Sent[] {
  return Array.from({ length: count }, (_, i) => sentRollout(from + i));
}

export function ndjson(events: readonly unknown[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
