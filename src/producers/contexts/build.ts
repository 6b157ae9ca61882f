// Builds the context for an engineer from a run's history up to a stage and nothing else, so that the same history and
// form give the same bytes, regardless of time and of the run's name.

import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { escapeControls } from '../../base/escape.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { isOwnModule } from '../../lab/context-modules.ts';
import type { ShownContext } from '../../lab/engineers/engineer.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { configurationOf } from '../history/configurations.ts';
import type { RunHistory } from '../history/run-history.ts';
import { type Item, type Part, type PartKind, type Sheet, sheetText } from '../summaries/sheet.ts';
import { type Form, type Module as ModuleName, meanings, nameOfForm } from './forms.ts';
import { type ContextInput, formWithout, inOrder, type Module } from './module.ts';
import { modulesOf } from './modules.ts';
import { headText } from './objective.ts';
import { ownModuleNamed } from './own-module.ts';
import { tokenizer, tokensIn } from './tokens.ts';

export interface BuiltContext {
  readonly recorded: EventData['ContextRecorded'];
  readonly shown: ShownContext;
}

/** The builder's name and version. */
const builder = 'icecore-context/5';

/** Includes the plugin modules of the form and their versions. Throws ContextModuleMissing. */
export function builderOf({ modules }: Form, own: ContextInput['own']): string {
  const named = modules.filter(isOwnModule).map((name) => `${name}/${ownModuleNamed(name, own).version}`);
  return [builder, ...named].join(' ');
}

/** Throws ContextTooSmall if the budget does not fit the mandatory parts, and NothingToLeaveOut. */
export async function buildContext(of: ContextInput): Promise<BuiltContext> {
  const { descriptor, history, stage, form, budget, own } = of;
  const leftOut = new Set(of.without);
  const without = leftOut.size === 0 ? [] : inOrder(leftOut, form, await modulesOf({ ...of, without: [] }));
  const shownForm = formWithout(form, leftOut);
  const modules = await modulesOf({ ...of, form: shownForm });
  const head = headText(descriptor, configurationOf(history, stage)?.whole ?? {});
  const text = (sheets: readonly Sheet[]): string =>
    `${[head, ...sheets.map((sheet) => sectionText(sheet, own))].join('\n\n')}\n`;
  // A run of line breaks is one token and separates its neighbours: so sections can be counted separately, and most
  // counts are reused when something is truncated.
  const counted = new Map<Sheet, number>();
  const headTokens = tokensIn(head);
  const tokensOf = (sheets: readonly Sheet[]): number =>
    sheets.reduce(
      (sum, sheet) => sum + 1 + getOrCreate(counted, sheet, () => sectionTokens(sheet, own)),
      headTokens + 1,
    );
  const fair = withFairExemplars(
    modules.map(({ sheet }) => sheet),
    budget,
  );
  const sheets = fitted(fair, budget, nameOfForm(form), tokensOf);
  const exemplars = { shown: exemplarsIn(sheets), of: exemplarsIn(fair) };
  return built({ ...of, without }, shownForm, modules, { sheets, exemplars, text: text(sheets) });
}

type Own = ContextInput['own'];

function sectionText(sheet: Sheet, own: Own): string {
  const { module } = sheet;
  const meaning = isOwnModule(module)
    ? escapeControls(ownModuleNamed(module, own).meaning)
    : meanings[module as ModuleName];
  return `# ${module}: ${meaning}\n${sheetText(sheet)}`;
}

/** Without its final line breaks, which merge with those after it. */
function sectionTokens(sheet: Sheet, own: Own): number {
  return tokensIn(sectionText(sheet, own).replace(/\n+$/, ''));
}

interface Fitted {
  readonly sheets: readonly Sheet[];
  readonly exemplars: { readonly shown: number; readonly of: number };
  readonly text: string;
}

function built(
  { history, stage, form, budget, without, own }: ContextInput & Required<Pick<ContextInput, 'without'>>,
  shownForm: Form,
  modules: readonly Module[],
  { sheets, exemplars, text }: Fitted,
): BuiltContext {
  const shown = modules.map((module, i) => onlyKept(module, sheets[i] as Sheet));
  const digest = sha256(text);
  const evidenceIds = Object.fromEntries(modules.flatMap((module, i) => evidenceIdsOf(module, sheets[i] as Sheet)));
  return {
    recorded: {
      contextForm: form,
      digest,
      text: { text },
      builder: builderOf(form, own),
      history: revisionsOf(history, stage),
      evidenceIds,
      modules: sheets.map((sheet) => ({ module: sheet.module, tokens: tokensIn(sectionText(sheet, own)) })),
      tokenizer,
      tokens: tokensIn(text),
      budget,
      truncated: truncations(sheets),
      ...(exemplars.of === 0 ? {} : { exemplars }),
      ...(without.length === 0 ? {} : { without: [...without] }),
    },
    shown: { digest, text, form: shownForm, modules: shown, evidenceIds: new Set(Object.keys(evidenceIds)) },
  };
}

function keptEvidenceIds({ parts }: Sheet): readonly string[] {
  return parts.flatMap(({ items }) => items.flatMap(({ evidenceIds }) => evidenceIds));
}

/** Truncated items cannot be cited, and are not passed on as data either. */
function onlyKept({ module, facts, exemplars }: Module, sheet: Sheet): ShownContext['modules'][number] {
  const kept = new Set(keptEvidenceIds(sheet));
  return {
    module,
    facts: facts.filter(({ evidenceId }) => kept.has(evidenceId)),
    exemplars: exemplars.filter(({ evidenceId }) => kept.has(evidenceId)),
  };
}

type EvidenceId = EventData['ContextRecorded']['evidenceIds'][string];

function evidenceIdsOf({ module, facts, exemplars, events }: Module, sheet: Sheet): [string, EvidenceId][] {
  const families = new Map([...facts, ...exemplars].map(({ evidenceId, family }) => [evidenceId, family]));
  return keptEvidenceIds(sheet).map((evidenceId) => [
    evidenceId,
    { module, events: [...events(evidenceId)], family: families.get(evidenceId) ?? null },
  ]);
}

/** The last event of the stage in the run's own stream; for a fork, also its shared events in other runs. */
function revisionsOf(history: RunHistory, stage: number): { stream: string; revision: number }[] {
  const { run, started, initial, stages, shares } = history;
  const [parent] = shares;
  const own = stages.filter((one) => one.stage <= stage && one.stage > (parent?.stage ?? 0));
  const decisions = own.flatMap((one) => [
    one.started,
    one.training,
    ...one.evaluations,
    one.sealed,
    ...one.summaries,
    one.completed,
  ]);
  const events = [started, ...(parent === undefined ? [initial] : []), ...decisions];
  const revision = Math.max(0, ...events.map((event) => event?.revision ?? 0));
  return [
    { stream: streamOf.run(run), revision },
    ...shares.map((shared) => ({ stream: streamOf.run(shared.run), revision: shared.revision })),
  ];
}

// Truncates a context to its maximum length. Rollouts have a fixed part of the budget, so that every form of this
// length shows the same ones: otherwise a comparison of forms would compare how many rollouts fit. Then the least
// valuable items are dropped one at a time until the rest fits: old trials, the ends of texts, and the rows of some
// families, the same ones in all tables; the latest trials and the rollouts go last. The context and its record say
// what was dropped.

/** The position of an item. */
interface Place {
  readonly module: string;
  readonly part: number;
  readonly item: number;
  readonly family: string | undefined;
}

/** What is dropped at once: an item, or all rows of a family. */
type Drop = readonly Place[];

interface Truncation {
  readonly module: string;
  readonly what: PartKind;
  readonly kept: number;
  readonly dropped: number;
}

/** The maximum part of the budget for rollouts, whatever else a form contains. */
const exemplarsPart = 2 / 5;

/** At least this number is shown, because figures alone do not show what a failure looks like. */
const fewestExemplars = 2;

/** Even the mandatory parts do not fit. */
export class ContextTooSmall extends IcecoreError {
  override readonly name = 'ContextTooSmall';

  constructor(budget: number, least: number, form: string) {
    super('bad-input', `a context ${form} needs at least ${least} tokens (${tokenizer}), but the limit is ${budget}`, {
      facts: { budget, least, form, tokenizer },
      remedy: `Allow ${least} or more, or show fewer modules.`,
    });
  }
}

/** The sheets with as many rollouts as any form of this length shows; all of them without a budget. */
function withFairExemplars(sheets: readonly Sheet[], budget: number): readonly Sheet[] {
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

/** Including the empty line before it. */
function itemTokens({ lines = [] }: Item): number {
  return tokensIn(lines.join('\n')) + 1;
}

function exemplarsIn(sheets: readonly Sheet[]): number {
  const parts = sheets.flatMap((sheet) => sheet.parts.filter(({ kind }) => kind === 'exemplars'));
  return parts.reduce((sum, { items }) => sum + items.length, 0);
}

/** The sheets with as little truncation as their length allows; none without a budget. */
function fitted(
  sheets: readonly Sheet[],
  budget: number,
  form: string,
  tokensOf: (sheets: readonly Sheet[]) => number,
): readonly Sheet[] {
  const losses = dropsOf(sheets);
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

/** Adds up the rows of a module with several tables. */
function truncations(sheets: readonly Sheet[]): Truncation[] {
  return sheets.flatMap(({ module, parts }) =>
    [...new Set(parts.map(({ kind }) => kind))].flatMap((what) => {
      const alike = parts.filter(({ kind }) => kind === what);
      const dropped = alike.reduce((sum, part) => sum + (part.dropped ?? 0), 0);
      const kept = alike.reduce((sum, { items }) => sum + items.length, 0);
      return dropped === 0 ? [] : [{ module, what, kept, dropped }];
    }),
  );
}

/** In the order in which items are dropped. */
function dropsOf(sheets: readonly Sheet[]): Drop[] {
  const placesOf = (kind: PartKind): Place[] =>
    sheets.flatMap(({ module, parts }) =>
      parts.flatMap((part, i) =>
        part.kind === kind ? part.items.map((one, item): Place => ({ module, part: i, item, family: one.family })) : [],
      ),
    );
  const one = (place: Place): Drop => [place];
  const tried = placesOf('stages').map(one);
  const rows = placesOf('rows');
  const families = droppedFirst([...new Set(rows.flatMap(({ family }) => family ?? []))]);
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

/** Evenly: every second one, then every second one of the rest. The last family, often the hardest, stays longest. */
function droppedFirst(families: readonly string[]): string[] {
  if (families.length < 2) return [...families];
  const isGoing = (i: number): boolean => (families.length - 1 - i) % 2 === 1;
  return [...families.filter((_, i) => isGoing(i)), ...droppedFirst(families.filter((_, i) => !isGoing(i)))];
}

function without(sheets: readonly Sheet[], losses: readonly Drop[]): Sheet[] {
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
