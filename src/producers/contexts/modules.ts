// Builds each context module from a run's history: summaries of the stage, earlier trials, and fixed texts.

import { readFileSync } from 'node:fs';
import { isOwnModule } from '../../lab/context-modules.ts';
import type { Exemplar } from '../../lab/engineers/engineer.ts';
import { type StageHistory, stageAt } from '../history/run-history.ts';
import { type SummaryModule, sheetOf } from '../summaries/modules.ts';
import type { Sheet } from '../summaries/sheet.ts';
import type { Module as ModuleName } from './forms.ts';
import { historyModule } from './history-module.ts';
import {
  type ContextInput,
  type LeftOut,
  type Module,
  withoutExemplars,
  withoutItems,
  withoutParagraphs,
} from './module.ts';
import { objectiveModule } from './objective.ts';
import { ownModule } from './own-module.ts';

type Build = (of: ContextInput, leftOut: LeftOut) => Module | Promise<Module>;

/** icecore's own modules without a recorded summary. */
const built: Readonly<Record<Exclude<ModuleName, SummaryModule | 'self-summary'>, Build>> = {
  objective: ({ descriptor, history, stage }, leftOut) => objectiveModule(descriptor, history, stage, leftOut),
  guideline: () => withoutFigures({ module: 'guideline', opening: [guideline()], parts: [] }),
  history: ({ descriptor, history, stage, form }, leftOut) =>
    historyModule(descriptor, history, stage, { hasFirst: hasFirst(form), leftOut }),
};

/** The modules of the form, in its order. */
export async function modulesOf(of: ContextInput): Promise<Module[]> {
  const modules: Module[] = [];
  for (const name of of.form.modules) modules.push(await moduleNamed(name, of));
  return modules;
}

/** Without the items left out on purpose. Throws ContextModuleMissing. */
export async function moduleNamed(name: string, of: ContextInput): Promise<Module> {
  const leftOut = new Set(of.without);
  if (isOwnModule(name)) return await ownModule(name, of, leftOut);
  const build = (built as Readonly<Record<string, Build>>)[name];
  return build === undefined ? await summaryModule(name, of, leftOut) : await build(of, leftOut);
}

/** `{"history": {"first": true}}`; otherwise the initial configuration is left out. */
function hasFirst({ parameters }: ContextInput['form']): boolean {
  const set = parameters?.['history'];
  return typeof set === 'object' && set !== null && 'first' in set && set.first === true;
}

async function summaryModule(name: string, of: ContextInput, leftOut: LeftOut): Promise<Module> {
  const { descriptor, history, stage, textOf } = of;
  const over = stageAt(history, stage);
  const summary = over?.summaries.find(({ data }) => data.module === name);
  if (over === null || summary === undefined) {
    return withoutFigures({ module: name, opening: ['Nothing was recorded.'], parts: [] });
  }
  const { text } = summary.data;
  const facts = withoutItems(summary.data.facts, leftOut);
  const exemplars = withoutExemplars(summary.data.exemplars, leftOut);
  const said = name === 'self-summary' && text !== null ? await textOf(text) : null;
  const training = name === 'training' ? idsOf(over) : [];
  return {
    module: name,
    facts,
    exemplars,
    sheet: sheetWithout(descriptor, summary.data, said, leftOut),
    events: (evidenceId) => {
      const exemplar = exemplars.find((one) => one.evidenceId === evidenceId);
      return exemplar === undefined ? [summary.id, ...training] : evidenceOf(exemplar);
    },
  };
}

type Summary = StageHistory['summaries'][number]['data'];

/** The opening describes the whole data, such as the number of tasks, and stays true. */
function sheetWithout(
  descriptor: ContextInput['descriptor'],
  summary: Summary,
  said: string | null,
  leftOut: LeftOut,
): Sheet {
  const whole = sheetOf(descriptor, summary, said);
  if (leftOut.size === 0) return whole;
  const facts = [...withoutItems(summary.facts, leftOut)];
  const exemplars = [...withoutExemplars(summary.exemplars, leftOut)];
  const { parts } = sheetOf(descriptor, { ...summary, facts, exemplars }, said);
  const left = withoutParagraphs({ ...whole, parts }, leftOut);
  const saysNothing = left.parts.some(({ kind, items }) => kind === 'paragraphs' && items.length === 0);
  return saysNothing ? sheetOf(descriptor, summary, null) : left;
}

function idsOf({ training }: StageHistory): string[] {
  return training === null ? [] : [training.id];
}

function evidenceOf({ rollout, failure }: Exemplar): string[] {
  return failure === undefined ? [rollout] : [rollout, failure];
}

function withoutFigures(sheet: Sheet): Module {
  return { module: sheet.module, facts: [], exemplars: [], sheet, events: () => [] };
}

let read: string | undefined;

function guideline(): string {
  read ??= readFileSync(new URL('./guideline.txt', import.meta.url), 'utf8').trimEnd();
  return read;
}
