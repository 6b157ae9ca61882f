// An append that came in, by whichever call: taken apart, and written unless a test wants it otherwise.
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Outcome } from './database.ts';
import type { Expected } from './expected.ts';
import type { Fate, Loss } from './faults.ts';
import type { Call, Node } from './node.ts';
import type { Proposed } from './recorded.ts';
import { notLeader, requiredMetadataMissing, unavailable } from './refusals.ts';

export interface Append {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly Proposed[];
}

export type Answer = Outcome | { readonly kind: 'timeout' };

/** What the messages of both calls have in common. */
interface ProposedMessage {
  getId(): shared.UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
}

const idForm = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/u;
const emptyId = '00000000-0000-0000-0000-000000000000';

/** The answer comes late, or never, where a test wants that; a Refusal ends the whole call. */
export async function performed(node: Node, call: Call, append: Append): Promise<Answer> {
  const fate = node.faults.fateOf(
    append.stream,
    append.events.map(({ id }) => id),
  );
  if (fate !== null && 'leader' in fate) throw notLeader(fate.leader);
  if (isLost(fate, 'before')) return lost(node, call, fate.how);
  const outcome = node.database.append(append.stream, append.expected, append.events);
  if (fate !== null && 'heldUntil' in fate) await fate.heldUntil;
  return isLost(fate, 'after') ? lost(node, call, fate.how) : outcome;
}

function isLost(fate: Fate | null, when: 'before' | 'after'): fate is Extract<Fate, { lost: string }> {
  return fate !== null && 'lost' in fate && fate.lost === when;
}

function lost(node: Node, call: Call, how: Loss): Promise<Answer> {
  if (how === 'timeout') return Promise.resolve({ kind: 'timeout' });
  if (how === 'unavailable') return Promise.reject(unavailable());
  if (how === 'cut') node.cut(call.getPeer());
  if (how === 'restart') void node.restart();
  return new Promise(() => {});
}

/** Throws for what is no event. */
export function proposed(message: ProposedMessage): Proposed {
  const metadata = message.getMetadataMap();
  const type = metadata.get('type');
  const contentType = metadata.get('content-type');
  if (type === undefined) throw requiredMetadataMissing('type');
  if (contentType === undefined) throw requiredMetadataMissing('content-type');
  if (type === '') throw new Error("Empty eventType provided. (Parameter 'eventType')");
  return {
    id: idIn(message.getId()),
    type,
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** What counts against the largest append. */
export function sizeOf({ type, data, metadata }: Proposed): number {
  return data.length + metadata.length + type.length * 2;
}

function idIn(uuid: shared.UUID | undefined): string {
  const id = uuid?.getString().toLowerCase() ?? '';
  if (!idForm.test(id)) throw new Error('Unrecognized Guid format.');
  if (id === emptyId) throw new Error("Empty eventId provided. (Parameter 'eventId')");
  return id;
}

export function nameIn(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
}
