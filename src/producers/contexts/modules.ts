// Each module of a context from the history of a run: what was summed up of the stage, what was tried before, and what is
// the same at every stage.
import { readFileSync } from 'node:fs';
import type { Exemplar } from '../../lab/engineers/engineer.ts';
import type { StageHistory } from '../run/history.ts';
import type { Sheet } from '../summaries/sheet.ts';
import { sheetOf } from '../summaries/sheets.ts';
import type { Building } from './building.ts';
import type { Module as ModuleName } from './forms.ts';
import type { Module } from './module.ts';
import { objectiveModule } from './objective.ts';
import { historyModule } from './tried.ts';

export async function moduleNamed(name: ModuleName, of: Building): Promise<Module> {
  const { descriptor, history, stage, form } = of;
  switch (name) {
    case 'objective':
      return objectiveModule(descriptor, history, stage);
    case 'guideline':
      return withoutFigures({ module: name, opening: [guideline()], parts: [] });
    case 'history':
      return historyModule(descriptor, history, stage, { hasFirst: hasFirst(form) });
    default:
      return await summaryModule(name, of);
  }
}

type Form = Building['form'];

/** `{"history": {"first": true}}`; otherwise the configuration that nobody chose is left out. */
function hasFirst({ parameters }: Form): boolean {
  const set = parameters?.['history'];
  return typeof set === 'object' && set !== null && 'first' in set && set.first === true;
}

async function summaryModule(name: ModuleName, { descriptor, history, stage, textOf }: Building): Promise<Module> {
  const over = history.stages.find((one) => one.stage === stage);
  const summary = over?.summaries.find(({ data }) => data.module === name);
  if (over === undefined || summary === undefined) {
    return withoutFigures({ module: name, opening: ['Nothing was recorded.'], parts: [] });
  }
  const { facts, exemplars, text } = summary.data;
  const said = name === 'self-summary' && text !== null ? await textOf(text) : null;
  const training = name === 'training' ? idsOf(over) : [];
  return {
    module: name,
    facts,
    exemplars,
    sheet: sheetOf(descriptor, summary.data, said),
    events: (label) => {
      const exemplar = exemplars.find((one) => one.label === label);
      return exemplar === undefined ? [summary.id, ...training] : evidenceOf(exemplar);
    },
  };
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
