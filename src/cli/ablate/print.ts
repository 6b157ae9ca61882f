// In which form an ablation is printed: for a terminal, as Markdown, as a page, or for programs.
import { resolve } from 'node:path';
import type { Ablated, AblationPlan } from '../../../schemas/ablation-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { ablationDocument, ablationHtml } from '../../analysis/ablation/view/document.ts';
import { planDocument } from '../../analysis/ablation/view/plan.ts';
import { size } from '../../base/quantity.ts';
import type { Context } from '../context.ts';
import { printDocument } from '../output/print.ts';
import { putInto } from '../story/place.ts';
import type { AblateOptions } from './options.ts';

export type Shape =
  | { readonly kind: 'text'; readonly md?: true }
  | { readonly kind: 'json' }
  | { readonly kind: 'html'; readonly path: string };

export function shapeOf({ flags }: Context, { md, html }: AblateOptions): Shape {
  const asked = [
    ...(flags.json ? ['--json'] : []),
    ...(md === true ? ['--md'] : []),
    ...(html === undefined ? [] : ['--html']),
  ];
  if (asked.length > 1) {
    throw new IcecoreError('usage', `ablate: found ${asked.join(' and ')}, allowed: one of them`, {
      facts: { found: asked },
      remedy: 'Programs read --json, people --md and --html.',
    });
  }
  if (flags.json) return { kind: 'json' };
  if (html !== undefined) return { kind: 'html', path: html === true ? 'ablation.html' : html };
  return { kind: 'text', ...(md === true ? { md } : {}) };
}

export async function printAblation(context: Context, shape: Shape, ablated: Ablated): Promise<void> {
  switch (shape.kind) {
    case 'json':
      return await context.printJson(ablated);
    case 'html':
      return await written(context, shape.path, ablationHtml(ablated));
    default:
      return await printDocument(context, ablationDocument(ablated), shape);
  }
}

export async function printPlan(context: Context, shape: Shape, plan: AblationPlan): Promise<void> {
  switch (shape.kind) {
    case 'json':
      return await context.printJson(plan);
    case 'html':
      throw new IcecoreError('usage', 'ablate: found --plan and --html, allowed: one of them', {
        facts: { found: ['--plan', '--html'] },
        remedy: 'A plan is printed, with --md as Markdown.',
      });
    default:
      return await printDocument(context, planDocument(plan), shape);
  }
}

async function written(context: Context, path: string, text: string): Promise<void> {
  if (path === '-') return await context.print(text);
  const file = resolve(context.io.cwd, path);
  await putInto(file, text);
  await context.say(`wrote ${path}, ${size(Buffer.byteLength(text))}`);
}
