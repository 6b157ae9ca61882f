// In which form an ablation is told: for a terminal, as Markdown, as a page, or for programs.
import { resolve } from 'node:path';
import type { Ablated, AblationPlan } from '../../../schemas/ablation-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Context } from '../context.ts';
import { markdownText } from '../output/page/markdown.ts';
import { terminalText } from '../output/page/terminal.ts';
import { unpainted } from '../output/paint.ts';
import { size } from '../output/quantity.ts';
import { putInto } from '../story/place.ts';
import type { AblateOptions } from './asked.ts';
import { ablatedHtml } from './shown/html.ts';
import { ablatedPage } from './shown/page.ts';
import { planPage, planText } from './shown/plan.ts';

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
  switch (shape.kind) {
    case 'json':
      return await context.printJson(ablated);
    case 'markdown':
      return await context.print(markdownText(ablatedPage(ablated)));
    case 'html':
      return await written(context, shape.path, ablatedHtml(ablated));
    case 'terminal':
      return await context.print(terminalText(context, ablatedPage(ablated, context.paint)));
  }
}

export async function showPlan(context: Context, shape: Shape, plan: AblationPlan): Promise<void> {
  switch (shape.kind) {
    case 'json':
      return await context.printJson(plan);
    case 'markdown':
      return await context.print(markdownText(planPage({ paint: unpainted }, plan)));
    case 'html':
      throw new IcecoreError('usage', 'ablate: found --plan and --html, allowed: one of them', {
        facts: { found: ['--plan', '--html'] },
        remedy: 'A plan is printed, with --md as Markdown.',
      });
    case 'terminal':
      return await context.print(planText(context, plan));
  }
}

async function written(context: Context, path: string, text: string): Promise<void> {
  if (path === '-') return await context.print(text);
  const file = resolve(context.io.cwd, path);
  await putInto(file, text);
  await context.say(`wrote ${path}, ${size(Buffer.byteLength(text))}`);
}
