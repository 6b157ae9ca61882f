// A run in which every free text contains executable HTML and control characters.
import type { NewEvent } from '../../../../schemas/envelope.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { Recording, wholeRun } from '../../history/testing/recording.ts';
import { shownRun } from '../../why/testing/evidence-run.ts';

/** If it were used as markup, it would change the title or contact another server. */
export const payload = `"'><img/src="http://127.0.0.1:9/asked"onerror="document.title='ran'"><script>document.title='ran'</script></style><style>*{display:none}</style>\u202egpj.`;

/** Fields with fixed values. */
const fixed = ['by', 'split', 'splits', 'module', 'kind', 'rule', 'reason', 'measure', 'harder', 'digest'];
/** Fields whose values have a meaning for readers of events. */
const meant = ['field'];
const identity = /^([0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|run-[a-z0-9-]+|evidence-[a-z0-9-]+)$/;
/** Objects with free keys. */
const keyed = ['evidenceIds', 'whole', 'budget', 'spent', 'parameters'];

export function hostileRuns(): readonly Recording[] {
  return [hostile(wholeRun('hostile-one', 'one')), hostile(shownRun({ run: 'hostile-two' }))];
}

export async function writeHostile(ledger: Ledger): Promise<void> {
  for (const recording of hostileRuns()) await recording.writeTo(ledger);
}

function hostile(recording: Recording): Recording {
  const changed = new Recording(recording.run);
  changed.sent.push(...recording.sent.map(({ stream, event }) => ({ stream, event: withPayload(event) })));
  return changed;
}

function withPayload(event: NewEvent): NewEvent {
  return { ...event, data: spoilt(event.data, '') };
}

function spoilt(value: unknown, key: string): unknown {
  if (typeof value === 'string') return fixed.includes(key) || identity.test(value) ? value : `${value}${payload}`;
  if (Array.isArray(value)) return meant.includes(key) ? value : value.map((one) => spoilt(one, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      keyed.includes(key) ? `${name}${payload}` : name,
      spoilt(member, name),
    ]),
  );
}
