// How a command's document is printed: for a terminal, or as Markdown.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Document } from '../../document/document.ts';
import { terminalText } from '../../document/terminal.ts';
import type { CommandContext, FormatOption } from '../../library/plugins/command.ts';

export async function printDocument(
  { io: { stdout }, paint }: Pick<CommandContext, 'io' | 'paint'>,
  document: Document,
  { format }: FormatOption = {},
): Promise<void> {
  if (format === 'md') {
    const { markdownText } = await import('../../document/markdown.ts');
    await stdout.write(markdownText(document));
  } else {
    await stdout.write(terminalText(document, { isTTY: stdout.isTTY, columns: stdout.columns, paint }));
  }
}

/** Output is for programs or for people, not for both at once. */
export function requireOneForm(
  { flags }: Pick<CommandContext, 'flags'>,
  { format }: { readonly format?: string },
): void {
  if (format === undefined || !flags.json) return;
  throw new IcecoreError('usage', `found --json and --format ${format}, allowed: one of them`, {
    facts: { field: '--format', found: format },
    remedy: 'Programs read --json, people --format md.',
  });
}

export type Hint = readonly [purpose: string, typed: string];

/** What to type next, the purpose first: how long a command is depends on how icecore is called here. */
export async function printHints(
  context: CommandContext,
  hints: readonly Hint[],
  { format }: FormatOption = {},
): Promise<void> {
  if (context.flags.json || format === 'md' || hints.length === 0) return;
  const width = Math.max(...hints.map(([purpose]) => purpose.length));
  const lines = hints.map(([purpose, typed]) => `  ${purpose.padEnd(width)}  ${typed}`);
  for (const line of ['', 'next:', ...lines]) await context.hint(line);
}
