// What was tried and its result: the changed knobs of each stage, and the policy's validation results afterwards.
// Reasons for the changes and all other results are left out.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import { differences } from '../../lab/environments/configuration.ts';
import { knobValues } from '../../lab/environments/knobs.ts';
import { configurationOf } from '../history/configurations.ts';
import { adoptionFor, type Recorded, type RunHistory, type StageHistory } from '../history/run-history.ts';
import { factTable } from '../summaries/figures.ts';
import { type Item, type Part, sheetText } from '../summaries/sheet.ts';
import { distinct, evidenceIdOf, evidenceIdPart } from '../summaries/summary.ts';
import { type LeftOut, type Module, withoutItems } from './module.ts';

interface Tried {
  readonly stage: number;
  readonly by: EventData['ConfigAdopted']['by'] | null;
  /** Whether a knob was changed for it, even if that is left out. */
  readonly isChanged: boolean;
  readonly facts: readonly Fact[];
  readonly events: { readonly knob: readonly string[]; readonly valid: readonly string[] };
}

/** Without the initial configuration the first stage has no knobs. */
export function historyModule(
  descriptor: Descriptor,
  history: RunHistory,
  upTo: number,
  { hasFirst, leftOut }: { readonly hasFirst: boolean; readonly leftOut: LeftOut },
): Module {
  const stages = history.stages.filter(({ stage }) => stage <= upTo && (hasFirst || stage > 1));
  const tried = stages.map((stage) => triedIn(descriptor, history, stage, leftOut));
  const events = new Map(
    tried.flatMap((one) => one.facts.map((fact) => [fact.evidenceId, eventsOf(one, fact)] as const)),
  );
  const part: Part = { kind: 'stages', title: '', items: tried.map((one) => itemOf(descriptor, one)) };
  const opening =
    tried.length === 0
      ? ['Only the current configuration has been tried so far.']
      : [
          'Each stage with the knobs that were changed for it, and the share of validation tasks solved after it. Validation tasks are generated with the start configuration of the environment and the initial settings for all families; the policy plays greedily and tries each task once.',
        ];
  return {
    module: 'history',
    facts: tried.flatMap(({ facts }) => facts),
    exemplars: [],
    sheet: { module: 'history', opening, parts: tried.length === 0 ? [] : [part] },
    events: (evidenceId) => events.get(evidenceId) ?? [],
  };
}

function triedIn(descriptor: Descriptor, history: RunHistory, stage: StageHistory, leftOut: LeftOut): Tried {
  const adoption = adoptionFor(history, stage.stage);
  const validation = validationOf(stage);
  const prefix = `H${stage.stage}`;
  const changes = changesFor(descriptor, history, stage.stage);
  const facts = distinct([...changes, ...rates(validation, prefix)]);
  return {
    stage: stage.stage,
    by: adoption?.data.by ?? null,
    isChanged: changes.length > 0,
    facts: withoutItems(facts, leftOut),
    events: {
      knob: adoption === null ? [] : [adoption.id],
      valid: validation === null ? [] : [validation.id],
    },
  };
}

function eventsOf({ events }: Tried, { measure }: Fact): readonly string[] {
  return measure === 'knob' ? events.knob : events.valid;
}

/** The knob values that differ from the stage before; for the first stage, all of them. */
function changesFor(descriptor: Descriptor, history: RunHistory, stage: number): Fact[] {
  const is = configurationOf(history, stage)?.whole ?? null;
  const was = configurationOf(history, stage - 1)?.whole ?? null;
  if (is === null) return [];
  const set =
    was === null
      ? knobValues(descriptor, is).map(({ knob, family, value }) => ({ knob, family, to: value }))
      : differences(descriptor, was, is);
  return set.map(({ knob, family, to }) => ({
    evidenceId: `H${stage}.${evidenceIdPart(knob)}`,
    family,
    measure: 'knob',
    about: knob,
    value: to,
  }));
}

/** The validation evaluation that engineers may see, never one of holdout tasks or suites. */
export function validationOf({ evaluations }: StageHistory): Recorded<'EvaluationRecorded'> | null {
  return evaluations.find(({ data }) => data.split === 'validation') ?? null;
}

function rates(validation: Recorded<'EvaluationRecorded'> | null, prefix: string): Fact[] {
  const results = validation?.data.results.filter(({ measure }) => measure === 'valid') ?? [];
  return results.map(({ family, measure, value, count, of, low, high }) => ({
    evidenceId: family === null ? `${prefix}.${measure}` : evidenceIdOf(`${prefix}.`, family, measure),
    family,
    measure,
    value,
    ...(count === undefined ? {} : { count }),
    ...(of === undefined ? {} : { of }),
    ...(low === undefined ? {} : { low }),
    ...(high === undefined ? {} : { high }),
  }));
}

function itemOf(descriptor: Descriptor, { stage, by, isChanged, facts }: Tried): Item {
  const column = ({ measure, family, about }: Fact): string =>
    about === undefined ? measure : columnOfKnob(about, family);
  const table = factTable({
    title: title(stage, by, isChanged),
    prefix: `H${stage}`,
    joint: '.',
    facts,
    columnOf: column,
    families: [null, ...descriptor.families.map(({ family }) => family)],
  });
  const text = sheetText({ module: 'history', opening: [], parts: [table] });
  return { evidenceIds: facts.map(({ evidenceId }) => evidenceId), lines: text.split('\n') };
}

function title(stage: number, by: Tried['by'], isChanged: boolean): string {
  return `Stage ${stage}, ${isChanged ? chosen(by) : 'with the configuration of the stage before'}`;
}

function chosen(by: Tried['by']): string {
  switch (by) {
    case 'engineer':
      return 'redesigned by an engineer';
    case 'human':
      return 'redesigned by a person';
    case 'initial':
      return 'with the initial configuration';
    default:
      return 'with a different configuration than the stage before';
  }
}

// Knobs that all families have share a column: `8.hole` is in the row of family 8 and the column `hole`.

function columnOfKnob(knob: string, family: string | null): string {
  return family !== null && knob.startsWith(`${family}.`) && knob.length > family.length + 1
    ? knob.slice(family.length + 1)
    : knob;
}
