// In which form an ablation is told: for a terminal, as Markdown, as a page, or for programs.
import { resolve } from 'node:path';
import type { Ablated, AblationPlan } from '../../../schemas/ablation-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { writeWhole } from '../../base/write-whole.ts';
import type { Context } from '../context.ts';
import type { AblateOptions } from './asked.ts';

export type Shape =
  | { readonly kind: 'terminal' }
  | { readonly kind: 'markdown' }
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
  if (md === true) return { kind: 'markdown' };
  return html === undefined ? { kind: 'terminal' } : { kind: 'html', path: html === true ? 'ablation.html' : html };
}

export async function showAblated(context: Context, shape: Shape, ablated: Ablated): Promise<void> {
  if (shape.kind === 'json') return await context.printJson(ablated);
  throw new Error('not yet');
}

export async function showPlan(context: Context, shape: Shape, plan: AblationPlan): Promise<void> {
  if (shape.kind === 'json') return await context.printJson(plan);
  throw new Error('not yet');
}

export { resolve, writeWhole };
