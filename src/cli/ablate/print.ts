// In which form an ablation is printed: for a terminal, as Markdown, as a page, or for programs.
import { extname, resolve } from 'node:path';
import type { Ablated, AblationPlan } from '../../../schemas/ablation-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { size } from '../../base/quantity.ts';
import type { Document } from '../../document/document.ts';
import { markdownText } from '../../document/markdown.ts';
import { ablationDocument, ablationPage, planDocument } from '../../library/documents.ts';
import type { Context } from '../context.ts';
import { requireOneForm } from '../output/print.ts';
import { typedHere } from '../program.ts';
import { putInto } from '../story/place.ts';

export interface PrintOptions {
  readonly verbose?: boolean;
  readonly format?: 'text' | 'md' | 'html';
  readonly output?: string;
}

export type Shape =
  | { readonly kind: 'terminal'; readonly verbose: boolean }
  | { readonly kind: 'json' }
  | { readonly kind: 'markdown' | 'html'; readonly path: string };

/** Where nothing says otherwise, a page goes into this file. */
const usualPage = 'ablation.html';

/** `-` is standard output. */
export function shapeOf(context: Context, { format, output, verbose = false }: PrintOptions): Shape {
  requireOneForm(context, format === undefined ? {} : { format });
  if (context.flags.json) return { kind: 'json' };
  const kind = format ?? (output === undefined ? 'text' : formatBy(output));
  if (kind === 'html') return { kind, path: output ?? usualPage };
  return kind === 'md' ? { kind: 'markdown', path: output ?? '-' } : { kind: 'terminal', verbose };
}

function formatBy(output: string): 'md' | 'html' {
  const ending = extname(output).toLowerCase();
  if (ending === '.html' || ending === '.md') return ending === '.md' ? 'md' : 'html';
  throw new IcecoreError('usage', `--output: "${output}" does not say in which format`, {
    facts: { field: '--output', found: output, allowed: ['.html', '.md'] },
    remedy: 'Give it one of the endings .html and .md, or name the format: --format md. For programs: --json > FILE.',
  });
}

export async function printAblation(context: Context, shape: Shape, ablated: Ablated): Promise<void> {
  if (shape.kind === 'html') return await written(context, shape.path, await ablationPage(ablated));
  const verbose = shape.kind !== 'terminal' || shape.verbose;
  const shown = shape.kind === 'terminal' ? withCommandTyped(context, ablated) : ablated;
  await print(context, shape, ablated, () => ablationDocument(shown, { verbose }));
}

/** Pages are read elsewhere, where icecore may be called otherwise. */
function withCommandTyped({ session }: Context, ablated: Ablated): Ablated {
  const { settle } = ablated;
  return settle == null ? ablated : { ...ablated, settle: { ...settle, command: typedHere(settle.command, session) } };
}

export async function printPlan(context: Context, shape: Shape, plan: AblationPlan): Promise<void> {
  if (shape.kind === 'html') {
    throw new IcecoreError('usage', 'ablate: found --plan and --format html, allowed: one of them', {
      facts: { found: ['--plan', '--format html'] },
      remedy: 'A plan is text, or Markdown with --format md.',
    });
  }
  await print(context, shape, plan, () => planDocument(plan));
}

async function print(context: Context, shape: Shape, value: object, document: () => Promise<Document>): Promise<void> {
  if (shape.kind === 'json') return await context.printJson(value);
  if (shape.kind === 'terminal') return await context.print(await document());
  await written(context, shape.path, markdownText(await document()));
}

async function written(context: Context, path: string, text: string): Promise<void> {
  if (path === '-') return await context.print(text);
  const file = resolve(context.io.cwd, path);
  await putInto(file, text);
  await context.say(`wrote ${path}, ${size(Buffer.byteLength(text))}`);
}
