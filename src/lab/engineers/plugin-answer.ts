// Reads the answer of an engineer that is code in this process, by the rules that hold for a program's: what cannot be
// used is rejected field by field, before anything is made of it.
import { inspect } from 'node:util';
import { z } from 'zod';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';
import type { JsonSchema } from '../../../schemas/describe-schema.ts';
import { found, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { proposalFields } from '../../../schemas/proposal.ts';
import { translate } from '../../../schemas/translate.ts';
import type { Answer, NoProposal, ProposalRequest } from './engineer.ts';
import { answerFrom, readContent, whole } from './proposal-reading.ts';

/** The type of an answer is only what its author promised. A rejection by the engineer itself stays as it is. */
export function readAnswer(answer: Answer, { descriptor, current, context }: ProposalRequest): Answer {
  if (isObject(answer) && 'rejected' in answer) return answer;
  const given: unknown = isObject(answer) ? answer.proposal : answer;
  const thrown = thrownByMembersOf(given);
  if (thrown !== null)
    return { rejected: { reason: 'unreadable', issues: [whole(`members that throw: ${thrown}`)], raw: null } };
  const raw = rawOf(given);
  if (!isObject(given)) {
    const reason = given === undefined ? 'empty' : 'unreadable';
    return { rejected: { reason, issues: [whole(found(given))], raw } };
  }
  const spent = spentFields.safeParse(given);
  if (!spent.success) {
    const issues = translate(spent.error.issues, given, z.toJSONSchema(spentFields) as JsonSchema);
    return { rejected: { reason: 'invalid', issues, raw } };
  }
  const unrecordable = unrecordableIn(spent.data);
  if (unrecordable !== null) return { rejected: { reason: 'invalid', issues: [unrecordable], raw } };
  const content = Object.fromEntries(
    Object.entries(given).filter(([field]) => !Object.hasOwn(spentFields.shape, field)),
  );
  const evidenceIds = context?.evidenceIds ?? new Set<string>();
  // The environment's own check runs later, where the environment is available.
  const read = readContent(content, { descriptor, current, evidenceIds, check: () => [] });
  return answerFrom(read, { raw, evidenceIds, spent: spent.data });
}

const spentFields = z.object(proposalFields).pick({ answers: true, usage: true, cost: true, measured: true });

/** What a getter or a proxy throws when the answer is read; null if nothing does. */
function thrownByMembersOf(given: unknown): string | null {
  const seen = new Set<unknown>();
  const open: unknown[] = [given];
  try {
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value !== 'object' || seen.has(value)) continue;
      seen.add(value);
      for (const member of Object.values(value ?? {})) if (member !== undefined) open.push(member);
    }
    return null;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** `measured` may have anything, but events hold only JSON. */
function unrecordableIn(spent: z.infer<typeof spentFields>): Issue | null {
  try {
    canonicalJson(spent);
    return null;
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    return { field: fault.field, found: fault.found, allowed: 'a JSON value' };
  }
}

/** As JSON if JSON can hold all of it, otherwise as JavaScript shows it. */
function rawOf(given: unknown): NoProposal['raw'] {
  if (given === undefined) return null;
  return { text: (isJson(given) ? JSON.stringify(given) : inspect(given, { depth: 20 })).toWellFormed() };
}

function isJson(given: unknown): boolean {
  try {
    canonicalJson(given);
    return true;
  } catch {
    return false;
  }
}
