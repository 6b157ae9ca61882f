// Plugin modules as parts of contexts: the part of the history they get, and their items.
import { IcecoreError } from '../../../schemas/errors.ts';
import { escapeControls, escapeControlsInLines } from '../../base/escape.ts';
import type { ContextHistory, ContextItem, ContextModuleEntry, HistoryStage } from '../../lab/context-modules.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import { configurationOf } from '../history/configurations.ts';
import { adoptionFor, type Recorded, type RunHistory, type StageHistory } from '../history/run-history.ts';
import type { Item } from '../summaries/sheet.ts';
import { validationOf } from './history-module.ts';
import { type ContextInput, type LeftOut, type Module, withoutItems } from './module.ts';

/** A form names a module whose plugin is not loaded. */
class ContextModuleMissing extends IcecoreError {
  override readonly name = 'ContextModuleMissing';

  constructor(module: string, known: readonly string[]) {
    super('not-found', `the context module ${module} belongs to no loaded plugin`, {
      facts: { module, known },
      remedy:
        known.length === 0
          ? 'Register the plugin that has it.'
          : `There are ${known.join(', ')}; other modules need their plugins.`,
    });
  }
}

/** Throws ContextModuleMissing. */
export function ownModuleNamed(name: string, own: ContextInput['own']): ContextModuleEntry {
  const entry = own?.get(name);
  if (entry === undefined) throw new ContextModuleMissing(name, [...(own?.keys() ?? [])]);
  return entry;
}

/** Throws PluginFault and ContextModuleMissing. */
export async function ownModule(name: string, of: ContextInput, leftOut: LeftOut): Promise<Module> {
  const entry = ownModuleNamed(name, of.own);
  const { opening, items } = await entry.build(shownOf(of));
  const left = withoutItems(
    items.map((item) => ({ ...item, evidenceId: `${name}:${item.id}` })),
    leftOut,
  );
  const events = new Map(left.map((item) => [item.evidenceId, item.events]));
  const parts = left.length === 0 ? [] : [{ kind: 'rows' as const, title: '', items: left.map(itemOf) }];
  return {
    module: name,
    facts: left.flatMap(factOf),
    exemplars: [],
    sheet: { module: name, opening: opening === undefined ? [] : escapeControlsInLines(opening).split('\n'), parts },
    events: (evidenceId) => events.get(evidenceId) ?? [],
  };
}

const indent = '  ';

type Cited = ContextItem & { readonly evidenceId: string };

/** With its evidence id in brackets, which `textIn` searches for. */
function itemOf({ evidenceId, text, family }: Cited): Item {
  const [first = '', ...more] = escapeControlsInLines(text).split('\n');
  return {
    evidenceIds: [evidenceId],
    ...(family === undefined ? {} : { family }),
    lines: [`${indent}[${evidenceId}] ${first}`, ...more.map((line) => `${indent}${indent}${line}`)],
  };
}

function factOf({ evidenceId, family, measure, value }: Cited): readonly Fact[] {
  if (measure === undefined || value === undefined) return [];
  return [{ evidenceId, family: family ?? null, measure: escapeControls(measure), value }];
}

/** The text of a plugin module's item in a context; null if it is not there. */
export function textIn(context: string, evidenceId: string): string | null {
  const lines = context.split('\n');
  const start = `${indent}[${evidenceId}] `;
  const at = lines.findIndex((line) => line.startsWith(start));
  if (at < 0) return null;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith(`${indent}${indent}`));
  return [
    (lines[at] ?? '').slice(start.length),
    ...rest.slice(0, end < 0 ? rest.length : end).map((line) => line.trim()),
  ].join('\n');
}

function shownOf({ descriptor, history, stage }: ContextInput): ContextHistory {
  const { stages, budget = {} } = history.started?.data ?? {};
  return {
    ...{ descriptor, stage, planned: stages ?? null, budget },
    stages: history.stages.filter((one) => one.stage <= stage).map((one) => stageShown(history, one)),
  };
}

function stageShown(history: RunHistory, over: StageHistory): HistoryStage {
  const adoption = adoptionFor(history, over.stage);
  return {
    stage: over.stage,
    configuration: configurationOf(history, over.stage)?.whole ?? null,
    adopted: adoption === null ? null : { id: adoption.id, by: adoption.data.by },
    training: eventIn(over.training),
    validation: eventIn(validationOf(over)),
    summaries: over.summaries
      .filter(({ data }) => data.module !== 'self-summary')
      .map(({ id, data }) => ({ id, data })),
  };
}

function eventIn<Type extends 'TrainingRecorded' | 'EvaluationRecorded'>(
  event: Recorded<Type> | null,
): { readonly id: string; readonly data: Recorded<Type>['data'] } | null {
  return event === null ? null : { id: event.id, data: event.data };
}
