// What is left out of a context that is longer than it may be: the least valuable items first, one at a time, until it
// fits. Rollouts go from the last, then what was tried long ago, then the ends of tables and texts; what was tried last
// goes at the very end. Whatever is left out is told, in the context itself and beside it.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Part, PartKind, Sheet } from '../summaries/sheet.ts';
import { tokenizer, tokensIn } from './tokens.ts';

/** Of one part, one item goes: the last one, or of what was tried the first. */
interface Loss {
  readonly module: string;
  readonly part: number;
  readonly from: 'beginning' | 'end';
}

export interface Truncation {
  readonly module: string;
  readonly what: PartKind;
  readonly kept: number;
  readonly dropped: number;
}

/** Modules whose tables and texts end first. */
const tails = ['self-summary', 'stats', 'training', 'behaviour', 'failures'];

/** Not even what is never left out has room. */
export class ContextTooSmall extends IcecoreError {
  override readonly name = 'ContextTooSmall';

  constructor(budget: number, least: number, form: string) {
    super('bad-input', `a context ${form} takes at least ${least} tokens (${tokenizer}), and may have ${budget}`, {
      facts: { budget, least, form, tokenizer },
      remedy: `Allow ${least} or more, or show fewer modules.`,
    });
  }
}

/** The sheets with as little left out as the text that is made of them allows; none at all without a budget. */
export function fitted(
  sheets: readonly Sheet[],
  budget: number,
  form: string,
  textOf: (sheets: readonly Sheet[]) => string,
): readonly Sheet[] {
  const losses = lossesOf(sheets);
  const tokensAt = (lost: number): number => tokensIn(textOf(without(sheets, losses.slice(0, lost))));
  if (budget === 0 || tokensAt(0) <= budget) return sheets;
  const least = tokensAt(losses.length);
  if (least > budget) throw new ContextTooSmall(budget, least, form);
  let [tooFew, enough] = [0, losses.length];
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (tokensAt(middle) <= budget) enough = middle;
    else tooFew = middle;
  }
  return without(sheets, losses.slice(0, enough));
}

/** Of a module that has several tables, their rows together. */
export function truncations(sheets: readonly Sheet[]): Truncation[] {
  return sheets.flatMap(({ module, parts }) =>
    [...new Set(parts.map(({ kind }) => kind))].flatMap((what) => {
      const alike = parts.filter(({ kind }) => kind === what);
      const dropped = alike.reduce((sum, part) => sum + (part.dropped ?? 0), 0);
      const kept = alike.reduce((sum, { items }) => sum + items.length, 0);
      return dropped === 0 ? [] : [{ module, what, kept, dropped }];
    }),
  );
}

/** In the order in which items go. */
function lossesOf(sheets: readonly Sheet[]): Loss[] {
  const lossesIn = (kind: PartKind, from: Loss['from'], modules?: readonly string[]): Loss[] =>
    sheets
      .filter(({ module }) => modules === undefined || modules.includes(module))
      .flatMap(({ module, parts }) =>
        parts.flatMap((part, i) => (part.kind === kind ? part.items.map(() => ({ module, part: i, from })) : [])),
      );
  const tried = lossesIn('stages', 'beginning');
  return [
    ...lossesIn('exemplars', 'end'),
    ...tried.slice(0, -1),
    ...tails.flatMap((module) => [
      ...lossesIn('paragraphs', 'end', [module]),
      ...lossesIn('rows', 'end', [module]).reverse(),
    ]),
    ...tried.slice(-1),
  ];
}

function without(sheets: readonly Sheet[], losses: readonly Loss[]): Sheet[] {
  return sheets.map((sheet) => ({
    ...sheet,
    parts: sheet.parts.map((part, i) => {
      const own = losses.filter((loss) => loss.module === sheet.module && loss.part === i);
      return own.length === 0 ? part : shortened(part, own.length, own[0]?.from === 'beginning');
    }),
  }));
}

function shortened(part: Part, dropped: number, isFromBeginning: boolean): Part {
  const kept = part.items.length - dropped;
  return { ...part, items: isFromBeginning ? part.items.slice(dropped) : part.items.slice(0, kept), dropped };
}
