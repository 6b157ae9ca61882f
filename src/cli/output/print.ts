// How a command's document is printed: for a terminal, or as Markdown.
import { IcecoreError } from '../../../schemas/errors.ts';
import { paintFor } from '../../base/paint.ts';
import type { Sink } from '../../base/sink.ts';
import type { Block, Document, Section } from '../../document/document.ts';
import { terminalText } from '../../document/terminal.ts';
import type { CommandContext, FormatOption } from '../../library/plugins/command.ts';
import type { Caller } from '../../library/session.ts';
import { typedHere } from '../program.ts';

export async function writeDocument(
  sink: Sink,
  env: CommandContext['io']['env'],
  document: Document,
  { format }: FormatOption = {},
): Promise<void> {
  if (format === 'md') {
    const { markdownText } = await import('../../document/markdown.ts');
    await sink.write(markdownText(document));
  } else {
    const { isTTY, columns } = sink;
    await sink.write(terminalText(document, { isTTY, columns, paint: paintFor(sink, env) }));
  }
}

/** How much of a result is printed, and in which form. */
export interface AnswerOptions extends FormatOption {
  readonly verbose?: true;
}

/** Markdown is for keeping, so it has everything too. */
export function isVerbose({ verbose, format }: { readonly verbose?: true; readonly format?: string }): boolean {
  return verbose === true || (format !== undefined && format !== 'text');
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

/** With the commands below drawings and in lines of their own as they must be typed here. */
export function withCommandsTyped(document: Document, typing: Pick<Caller, 'env' | 'cwd' | 'ledger'>): Document {
  const typed = (text: string): string => (text.startsWith('icecore ') ? typedHere(text, typing) : text);
  const typedBlock = (block: Block): Block => {
    if (block.kind === 'drawing') return { ...block, source: typed(block.source) };
    if (block.kind !== 'lines') return block;
    return { ...block, lines: block.lines.map((line) => (typeof line === 'string' ? typed(line) : line)) };
  };
  const typedSection = (one: Section): Section => ({
    ...one,
    blocks: one.blocks.map(typedBlock),
    ...(one.sections === undefined ? {} : { sections: one.sections.map(typedSection) }),
  });
  return { ...document, blocks: document.blocks.map(typedBlock), sections: document.sections.map(typedSection) };
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
