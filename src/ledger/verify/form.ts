// The form of an event: whether its bytes are those of an event, in canonical JSON, and hold what its type asks for.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Envelope } from '../../../schemas/envelope.ts';
import { describeIssue } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { checksOf } from '../../../schemas/own-events.ts';
import { parseStream } from '../../../schemas/streams.ts';
import type { StoredEvent } from '../stored.ts';
import type { Piece } from './piece.ts';

/** In the order of canonical JSON. */
const members = 'actor at causes data id previous revision run stage stream type version'.split(' ');

/** Null where the bytes are not those of an event. */
export function envelopeOf({ body }: StoredEvent): Envelope | null {
  try {
    const envelope = parseJson(body) as Envelope | null;
    if (typeof envelope !== 'object' || envelope === null) return null;
    let at = 0;
    for (const member in envelope) if (member !== members[at++]) return null;
    return at === members.length ? envelope : null;
  } catch {
    return null;
  }
}

const hiddenKey = '"__proto__":';

/** Whether it is all that its type asks for. What is not known here may be anything, and nothing in it is followed. */
export function reportMalformation(event: StoredEvent, envelope: Envelope, piece: Piece): boolean {
  const { id, type, version, at, actor, run, stage, causes, data, stream } = envelope;
  if (!isCanonical(event.body, envelope)) piece.faultOf(event, 'malformed', 'its bytes are not canonical JSON');
  const known = event.types.get(type);
  if (known === undefined || version > known.versions.length || parseStream(stream) === null) {
    piece.opaque(event, envelope);
    return false;
  }
  const written = { id, type, version, at, actor, run, stage, causes, data };
  const issues = checksOf(event.types).fields(stream, written);
  for (const issue of issues) piece.faultOf(event, 'malformed', describeIssue(issue));
  if (event.body.includes(hiddenKey)) piece.faultOf(event, 'malformed', 'it holds a key named __proto__');
  return issues.length === 0;
}

function isCanonical(body: string, envelope: Envelope): boolean {
  try {
    return canonicalJson(envelope) === body;
  } catch {
    return false;
  }
}
