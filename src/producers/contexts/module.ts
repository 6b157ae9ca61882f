// A context module: its text and its citable facts with the events behind them.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import type { ContextModules } from '../../lab/context-modules.ts';
import type { ContextModule, Exemplar } from '../../lab/engineers/engineer.ts';
import type { RunHistory } from '../history/run-history.ts';
import type { Part, Sheet } from '../summaries/sheet.ts';
import { type Form, nameOfForm } from './forms.ts';

export interface Module extends ContextModule {
  readonly sheet: Sheet;
  /** The events behind an evidence id. */
  readonly events: (evidenceId: string) => readonly string[];
}

// Parts left out of a context on purpose, to measure their effect: modules by name, items by evidence id. The rest
// looks as if they had never existed; the evidence ids of rollouts and paragraphs have no gaps.

/** Evidence ids and module names. */
export type LeftOut = ReadonlySet<string>;

/** The form without some of its modules. */
export function formWithout(form: Form, leftOut: LeftOut): Form {
  const modules = form.modules.filter((module) => !leftOut.has(module));
  if (modules.length === form.modules.length) return form;
  const parameters = Object.entries(form.parameters ?? {}).filter(([module]) => modules.includes(module));
  return { modules, ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }) };
}

/**
 * Without duplicates: modules in the order of the form, then items in the order of the context. Throws
 * NothingToLeaveOut.
 */
export function inOrder(leftOut: LeftOut, form: Form, whole: readonly Module[]): string[] {
  const evidenceIds = whole.flatMap(({ sheet }) =>
    sheet.parts.flatMap(({ items }) => items.flatMap((one) => one.evidenceIds)),
  );
  const known = new Set([...form.modules, ...evidenceIds]);
  for (const word of leftOut) if (!known.has(word)) throw new NothingToLeaveOut(word, form, evidenceIds);
  return [...known].filter((word) => leftOut.has(word));
}

/** The context has no module or item of this name. */
export class NothingToLeaveOut extends UnknownName {
  override readonly name = 'NothingToLeaveOut';

  constructor(word: string, form: Form, evidenceIds: readonly string[]) {
    const near = nearestNames(word, [...form.modules, ...evidenceIds]);
    super(word, `a context ${nameOfForm(form)} has no module and no item "${word}" that could be left out`, {
      facts: { word, form: nameOfForm(form), modules: form.modules, evidenceIds, nearest: near },
      remedy: didYouMean(
        near,
        `Name a module of it (${form.modules.join(', ')}) or an evidence id of the context: F1, B8.valid.`,
      ),
    });
  }
}

export function withoutItems<WithEvidenceId extends { readonly evidenceId: string }>(
  items: readonly WithEvidenceId[],
  leftOut: LeftOut,
): readonly WithEvidenceId[] {
  return items.filter(({ evidenceId }) => !leftOut.has(evidenceId));
}

/** The remaining ones are renumbered, so that no gap reveals the others. */
export function withoutExemplars(exemplars: readonly Exemplar[], leftOut: LeftOut): readonly Exemplar[] {
  return withoutItems(exemplars, leftOut).map((one, i) => ({
    ...one,
    evidenceId: exemplars[i]?.evidenceId ?? one.evidenceId,
  }));
}

/** The same for the paragraphs of a sheet. */
export function withoutParagraphs(sheet: Sheet, leftOut: LeftOut): Sheet {
  return { ...sheet, parts: sheet.parts.map((part) => (part.kind === 'paragraphs' ? left(part, leftOut) : part)) };
}

function left(part: Part, leftOut: LeftOut): Part {
  const titles = part.items.map(({ evidenceIds }) => evidenceIds);
  const items = part.items
    .filter(({ evidenceIds }) => !evidenceIds.some((evidenceId) => leftOut.has(evidenceId)))
    .map(({ lines = [], ...item }, i) => {
      const evidenceIds = titles[i] ?? item.evidenceIds;
      return { ...item, evidenceIds, lines: [...evidenceIds, ...lines.slice(item.evidenceIds.length)] };
    });
  return { ...part, items };
}

// The input of the context builder.

/** A text as events store it. */
type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

export interface ContextInput {
  readonly descriptor: Descriptor;
  /** Events after the stage have no effect. */
  readonly history: RunHistory;
  /** The last complete stage. */
  readonly stage: number;
  readonly form: Form;
  /** The maximum number of tokens; 0 means no limit. */
  readonly budget: number;
  /** Evidence ids of items and names of modules to leave out, as if they had never existed. */
  readonly without?: readonly string[];
  /** Plugin modules that a form may name. */
  readonly own?: ContextModules;
  /** Null if it no longer exists. */
  readonly textOf: (text: Text) => Promise<string | null>;
}
