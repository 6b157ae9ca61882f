// What is left out of a context that is longer than it may be. Rollouts have a part of the room of their own, so that every
// form of this length shows the same ones: a comparison of forms is none of how many rollouts they had room for. Then the least
// valuable items go, one at a time, until it fits: what was tried long ago, the ends of texts, and the rows of some families, of
// the same ones in all tables; what was tried last and rollouts go at the very end. The context and its record say what
// was left out.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Item, Part, PartKind, Sheet } from '../summaries/sheet.ts';
import { tokenizer, tokensIn } from './tokens.ts';

/** Where an item stands. */
interface Place {
  readonly module: string;
  readonly part: number;
  readonly item: number;
  readonly family: string | undefined;
}

/** What goes at once: an item, or all rows of a family. */
type Loss = readonly Place[];

export interface Truncation {
  readonly module: string;
  readonly what: PartKind;
  readonly kept: number;
  readonly dropped: number;
}

/** Rollouts take at most this part of the room, whatever else a form has. */
const exemplarsPart = 2 / 5;

/** So many are shown all the same: figures alone do not say what a failure looks like. */
const fewestExemplars = 2;

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

/** The sheets with as many rollouts as any form of this length shows; all of them without a budget. */
export function withFairExemplars(sheets: readonly Sheet[], budget: number): readonly Sheet[] {
  if (budget === 0) return sheets;
  return sheets.map((sheet) => ({
    ...sheet,
    parts: sheet.parts.map((part) => (part.kind === 'exemplars' ? fairPart(part, budget) : part)),
  }));
}

function fairPart(part: Part, budget: number): Part {
  let tokens = 0;
  const fitting = part.items.findIndex((item) => {
    tokens += itemTokens(item);
    return tokens > budget * exemplarsPart;
  });
  if (fitting === -1) return part;
  const kept = Math.max(fitting, fewestExemplars);
  return kept >= part.items.length ? part : shortened(part, new Set(Array.from(part.items.keys()).slice(kept)));
}

/** With the empty line before it. */
function itemTokens({ lines = [] }: Item): number {
  return tokensIn(lines.join('\n')) + 1;
}

export function exemplarsIn(sheets: readonly Sheet[]): number {
  const parts = sheets.flatMap((sheet) => sheet.parts.filter(({ kind }) => kind === 'exemplars'));
  return parts.reduce((sum, { items }) => sum + items.length, 0);
}

/** The sheets with as little left out as what they come to allows; none at all without a budget. */
export function fitted(
  sheets: readonly Sheet[],
  budget: number,
  form: string,
  tokensOf: (sheets: readonly Sheet[]) => number,
): readonly Sheet[] {
  const losses = lossesOf(sheets);
  const tokensAt = (lost: number): number => tokensOf(without(sheets, losses.slice(0, lost)));
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
  const placesOf = (kind: PartKind): Place[] =>
    sheets.flatMap(({ module, parts }) =>
      parts.flatMap((part, i) =>
        part.kind === kind ? part.items.map((one, item): Place => ({ module, part: i, item, family: one.family })) : [],
      ),
    );
  const one = (place: Place): Loss => [place];
  const tried = placesOf('stages').map(one);
  const rows = placesOf('rows');
  const families = goingFirst([...new Set(rows.flatMap(({ family }) => family ?? []))]);
  return [
    ...tried.slice(0, -1),
    ...placesOf('paragraphs').toReversed().map(one),
    ...families.map((family) => rows.filter((row) => row.family === family)),
    ...rows
      .filter(({ family }) => family === undefined)
      .toReversed()
      .map(one),
    ...tried.slice(-1),
    ...placesOf('exemplars').toReversed().map(one),
  ];
}

/** Evenly: each second one, of those that are left each second one again. The last, often the hardest, stays to the end. */
function goingFirst(families: readonly string[]): string[] {
  if (families.length < 2) return [...families];
  const isGoing = (i: number): boolean => (families.length - 1 - i) % 2 === 1;
  return [...families.filter((_, i) => isGoing(i)), ...goingFirst(families.filter((_, i) => !isGoing(i)))];
}

function without(sheets: readonly Sheet[], losses: readonly Loss[]): Sheet[] {
  const lost = Map.groupBy(losses.flat(), ({ module }) => module);
  return sheets.map((sheet) => {
    const own = lost.get(sheet.module) ?? [];
    if (own.length === 0) return sheet;
    const parts = sheet.parts.map((part, i) => {
      const items = new Set(own.flatMap((one) => (one.part === i ? one.item : [])));
      return items.size === 0 ? part : shortened(part, items);
    });
    return { ...sheet, parts };
  });
}

function shortened(part: Part, lost: ReadonlySet<number>): Part {
  return { ...part, items: part.items.filter((_, i) => !lost.has(i)), dropped: (part.dropped ?? 0) + lost.size };
}
