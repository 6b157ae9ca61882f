// The line that answers a line. One that is no instance is answered, too: the answers would no longer belong to the lines
// one by one if it were passed over.
import type { LakeRefused } from '../../../schemas/lake-output.ts';
import type { Refusal, Reply } from '../../lab/lake/workers/jobs.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';
import { escapeSteering, jsonText } from '../output/json.ts';
import type { Asked } from './asked.ts';

export interface Answer {
  readonly text: string;
  /** Why it is no answer; null where it is one. */
  readonly refused: string | null;
}

export function answerOf(asked: Asked, reply: Reply): Answer {
  if (typeof reply === 'string') return { text: escapeSteering(reply), refused: null };
  const refused: LakeRefused = { id: reply.id, error: faultIn(asked, reply.fault) };
  return { text: jsonText(refused), refused: refused.error.message };
}

export type LineFault = LakeRefused['error'];

export function faultIn(asked: Asked, fault: Refusal['fault']): LineFault {
  const { line } = asked;
  const { field, found, allowed } = fault === null ? notRead(asked) : (fault.facts as unknown as Place);
  const where = field === '' ? `line ${line}` : `line ${line}: ${field}`;
  return { kind: 'bad-input', message: `${where}: found ${found}, allowed: ${allowed}`, field, found, allowed, line };
}

type Place = Pick<LineFault, 'field' | 'found' | 'allowed'>;

function notRead({ text, fault }: Asked): Place {
  if (fault !== null) return { field: '', ...fault };
  const { line, column, found, allowed, isTruncated } = findJsonFault(text);
  const what = isTruncated ? 'the end of the line' : found;
  return { field: line === 1 ? `column ${column}` : '', found: `${what}, which makes it no JSON`, allowed };
}
