// How a command's document is printed: for a terminal, or as Markdown.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Document } from '../../analysis/document/document.ts';
import { terminalText } from '../../analysis/document/terminal.ts';
import type { Context } from '../context.ts';

export interface MarkdownOption {
  /** Markdown instead of text for a terminal. */
  readonly md?: true;
}

export async function printDocument(
  { io: { stdout }, paint, print }: Pick<Context, 'io' | 'paint' | 'print'>,
  document: Document,
  { md }: MarkdownOption = {},
): Promise<void> {
  if (md === true) {
    const { markdownText } = await import('../../analysis/document/markdown.ts');
    await print(markdownText(document));
  } else {
    await print(terminalText(document, { isTTY: stdout.isTTY, columns: stdout.columns, paint }));
  }
}

/** What is printed is for programs or for people, and not for both at once. */
export function requireOneForm({ flags }: Pick<Context, 'flags'>, { md }: MarkdownOption): void {
  if (md === undefined || !flags.json) return;
  throw new IcecoreError('usage', '--md and --json cannot both be printed', {
    facts: { field: '--md' },
    remedy: 'Programs read --json, people --md.',
  });
}

export type Hint = readonly [purpose: string, typed: string];

/** What to type next, the purpose first: how long a command is depends on how icecore is called here. */
export async function printHints(context: Context, hints: readonly Hint[], { md }: MarkdownOption = {}): Promise<void> {
  if (context.flags.json || md === true || hints.length === 0) return;
  const width = Math.max(...hints.map(([purpose]) => purpose.length));
  const lines = hints.map(([purpose, typed]) => `  ${purpose.padEnd(width)}  ${typed}`);
  for (const line of ['', 'next:', ...lines]) await context.hint(line);
}
