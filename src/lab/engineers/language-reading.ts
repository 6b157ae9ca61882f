// What an answer of a language model says as a proposal: read when it arrives, and again from its record.

import { type Answered, isTruncated, silenceOf } from '../models/conversation.ts';
import type { Check } from './decision.ts';
import type { NoProposal, Proposal, ProposalRequest } from './engineer.ts';
import { byName, knobsByName, withAllDigits, withKnobsByName } from './named-values.ts';
import { readProposal, type Standard, type Unusable, type Usable, withoutInvented } from './proposal-reading.ts';

/** In the recorded parameters of every engineer that is a language model. */
export const languageKind = 'language';

/** Raised whenever the same answer would be read as another proposal. */
export const languageVersion = '2';

/** The part of the request that an answer is read against. */
export type AskedOf = Pick<ProposalRequest, 'descriptor' | 'current'> & {
  readonly context: Pick<NonNullable<ProposalRequest['context']>, 'evidenceIds'> | null;
};

/** An answer after parsing; `isLast` means that asking again would not help. */
export type Read = Usable | (Unusable & { readonly isLast?: boolean });

/** The model refers to knobs by name, so it is checked by name. */
export function standardOf({ descriptor, current, context }: AskedOf, check: Check): Standard {
  return {
    descriptor: byName(descriptor),
    current: knobsByName(descriptor, current),
    evidenceIds: context?.evidenceIds ?? new Set(),
    exact: (named) => withAllDigits(descriptor, current, named),
    check: (named) => check(withKnobsByName(descriptor, current, named)),
  };
}

export function readText(text: string, answered: Pick<Answered, 'finishReason'>, standard: Standard): Read {
  return isTruncated(answered) ? wasCut : readProposal(text, standard);
}

/** Asking again would truncate the answer again and cost again. */
const wasCut: Read = {
  reason: 'unreadable',
  issues: [{ field: 'answer', found: 'a truncated answer', allowed: 'a complete answer: raise max_tokens' }],
  isLast: true,
};

/** An answer that cites unknown evidence is better than no proposal. */
export function better(first: Read, second: Read): Read {
  if (!('reason' in second)) return second;
  if (!('reason' in first)) return first;
  return second.isLast === true ? { ...second, issues: [...second.issues, ...first.issues] } : second;
}

/** The proposal in the form of its environment. */
export function meantBy(
  content: Usable['content'],
  { descriptor, current }: Pick<AskedOf, 'descriptor' | 'current'>,
  { evidenceIds }: Standard,
): Proposal {
  const known = withoutInvented(content, evidenceIds);
  return { ...known, configuration: withKnobsByName(descriptor, current, known.configuration) };
}

export type RecordedAnswer = Pick<Answered, 'answer' | 'finishReason'>;

/** The proposal in recorded answers to a question and to the request to repair it; or why they have none. */
export function proposalIn(
  answers: readonly [RecordedAnswer, ...RecordedAnswer[]],
  asked: AskedOf,
  check: Check,
): { readonly proposal: Proposal } | { readonly reason: NoProposal['reason'] } {
  const standard = standardOf(asked, check);
  const [first, ...others] = answers;
  const read = others.reduce(
    (before, one) => better(before, readRecorded(one, standard)),
    readRecorded(first, standard),
  );
  return 'reason' in read ? { reason: read.reason } : { proposal: meantBy(read.content, asked, standard) };
}

function readRecorded(answered: RecordedAnswer, standard: Standard): Read {
  const { answer } = answered;
  const isSilent = answer === null || silenceOf(answered) !== null;
  return isSilent ? { reason: 'refused', issues: [], isLast: true } : readText(answer, answered, standard);
}
