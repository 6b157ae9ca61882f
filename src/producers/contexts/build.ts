// The context an engineer is shown: built from the history of a run as far as a stage and from nothing else, so that the
// same history and form give the same bytes, whenever it is built and whatever the run is called.
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { entry } from '../../base/entry.ts';
import type { ShownContext } from '../../lab/engineers/engineer.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { RunHistory } from '../run/history.ts';
import { type Sheet, sheetText } from '../summaries/sheet.ts';
import type { Building } from './building.ts';
import { configurationOf } from './configurations.ts';
import { exemplarsIn, fitted, truncations, withFairExemplars } from './fitting.ts';
import { type Form, type Module as ModuleName, meanings, nameOfForm } from './forms.ts';
import { headText } from './head.ts';
import { formWithout, inOrder } from './left-out.ts';
import type { Module } from './module.ts';
import { modulesOf } from './modules.ts';
import { tokenizer, tokensIn } from './tokens.ts';

export type { Building } from './building.ts';

export interface Built {
  readonly recorded: EventData['ContextRecorded'];
  readonly shown: ShownContext;
}

/** What builds contexts, with its version. */
export const builder = 'icecore-context/3';

/** Throws ContextTooSmall where the budget is too small for what is never left out, and NothingToLeaveOut. */
export async function buildContext(of: Building): Promise<Built> {
  const { descriptor, history, stage, form, budget } = of;
  const leftOut = new Set(of.without);
  const without = leftOut.size === 0 ? [] : inOrder(leftOut, form, await modulesOf({ ...of, without: [] }));
  const shownForm = formWithout(form, leftOut);
  const modules = await modulesOf({ ...of, form: shownForm });
  const head = headText(descriptor, configurationOf(history, stage) ?? {});
  const text = (sheets: readonly Sheet[]): string => `${[head, ...sheets.map(sectionText)].join('\n\n')}\n`;
  // Line breaks are one token however many they are, and part whatever they stand between: a section takes as many tokens by
  // itself as within the text, and most are the same whatever is left out.
  const counted = new Map<Sheet, number>();
  const headTokens = tokensIn(head);
  const tokensOf = (sheets: readonly Sheet[]): number =>
    sheets.reduce((sum, sheet) => sum + 1 + entry(counted, sheet, () => sectionTokens(sheet)), headTokens + 1);
  const fair = withFairExemplars(
    modules.map(({ sheet }) => sheet),
    budget,
  );
  const sheets = fitted(fair, budget, nameOfForm(form), tokensOf);
  const exemplars = { shown: exemplarsIn(sheets), of: exemplarsIn(fair) };
  return built({ ...of, without }, shownForm, modules, { sheets, exemplars, text: text(sheets) });
}

function sectionText(sheet: Sheet): string {
  const title = `# ${sheet.module}: ${meanings[sheet.module as ModuleName]}`;
  return `${title}\n${sheetText(sheet)}`;
}

/** Without the line breaks at its end, which become one with those behind it. */
function sectionTokens(sheet: Sheet): number {
  return tokensIn(sectionText(sheet).replace(/\n+$/, ''));
}

interface Fitted {
  readonly sheets: readonly Sheet[];
  readonly exemplars: { readonly shown: number; readonly of: number };
  readonly text: string;
}

function built(
  { history, stage, form, budget, without }: Building & Required<Pick<Building, 'without'>>,
  shownForm: Form,
  modules: readonly Module[],
  { sheets, exemplars, text }: Fitted,
): Built {
  const shown = modules.map((module, i) => onlyKept(module, sheets[i] as Sheet));
  const digest = sha256(text);
  const evidenceIds = Object.fromEntries(modules.flatMap((module, i) => evidenceIdsOf(module, sheets[i] as Sheet)));
  return {
    recorded: {
      contextForm: form,
      digest,
      text: { text },
      builder,
      history: knownOf(history, stage),
      evidenceIds,
      modules: sheets.map((sheet) => ({ module: sheet.module, tokens: tokensIn(sectionText(sheet)) })),
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

/** What was left out can not be cited, and is not handed on as data either. */
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

/** The last event of the stage in the run's own stream; for a fork, what it shares of others beside. */
function knownOf(history: RunHistory, stage: number): { stream: string; revision: number }[] {
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
