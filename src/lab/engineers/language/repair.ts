// The one request to mend an answer: it quotes what was said, and what is wrong with it.
import type { Issue } from '../../../../schemas/errors.ts';
import type { Message } from '../../models/conversation.ts';
import { filled } from './template.ts';

/** Of more than this the number is told. */
const mostTold = 20;

/** So much of an answer is quoted; a proposal is far shorter. */
const longestQuoted = 50_000;

export function repairOf(prompt: string, said: string, issues: readonly Issue[]): readonly [Message, ...Message[]] {
  const repair = filled('./repair.txt', { issues: listed(issues) });
  // Endpoints refuse messages without a text, and two of a kind in a row.
  if (said.trim() === '') return [{ role: 'user', content: `${prompt}\n\n${repair}` }];
  return [
    { role: 'user', content: prompt },
    { role: 'assistant', content: said.slice(0, longestQuoted).toWellFormed() },
    { role: 'user', content: repair },
  ];
}

function listed(issues: readonly Issue[]): string {
  const more = issues.length - mostTold;
  const lines = issues
    .slice(0, mostTold)
    .map(({ field, found, allowed }) => `- ${field}: found ${found}, allowed: ${allowed}`);
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}
