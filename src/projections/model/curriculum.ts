// Rows about the curriculum of a run: the configuration and results of each family, stage by stage over its whole
// history.
import type { EventData } from '../../../schemas/catalogue.ts';
import { configurationOf, sharesIn, wordOf } from '../../producers/history/configurations.ts';
import { changesFor } from '../../producers/history/decisions.ts';
import { failureClasses, failuresOf, learningSignalOf, ownOf, validationOf } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { isEdited } from './decisions.ts';
import { type CourseStage, courseOf, engineerOf, validationRate } from './history.ts';
import { byBytes, differenceOf, type Row, type Rows } from './rows.ts';

export function curriculumRows(read: RunRead): Rows {
  const rows = courseOf(read).flatMap((stage) =>
    [...familiesIn(read, stage)].map((family) => curriculumRow(read, stage, family)),
  );
  return { curriculum: rows };
}

/** Those with knobs or results, and the total if the stage has started. */
function familiesIn(read: RunRead, { stage, history }: CourseStage): ReadonlySet<string | null> {
  const knobs = (configurationOf(read, stage)?.knobs ?? []).map(({ family }) => family);
  if (history === null) return new Set(knobs);
  const measured = (validationOf(history)?.data.results ?? []).map(({ family }) => family);
  const learned = [...learningSignalOf(history)].flatMap(([family, one]) =>
    one.sampleGroups === null ? [] : [family],
  );
  return new Set([null, ...knobs, ...measured, ...learned]);
}

function curriculumRow(read: RunRead, course: CourseStage, family: string | null): Row {
  const { stage, history, adoption } = course;
  const rate = validationRate(read, stage, 'valid', family);
  const before = validationRate(read, stage - 1, 'valid', family);
  const configuration = configurationOf(read, stage);
  const position = read.descriptor?.families.findIndex((one) => one.family === family) ?? -1;
  const failures = history === null ? null : failuresOf(history);
  const [worst] = failures === null ? [] : failureClasses(failures, family);
  return {
    stage,
    family,
    position: position < 0 ? null : position + 1,
    share: sharesIn(read.descriptor, configuration).find((one) => one.family === family)?.share,
    knobs: knobsIn(configuration, family),
    changed: changedIn(read, course, family),
    valid_before: before.value,
    valid: rate.value,
    valid_low: rate.low,
    valid_high: rate.high,
    gain: differenceOf(rate.value, before.value),
    optimal: validationRate(read, stage, 'optimal', family).value,
    learning_signal: history && learningSignalOf(history).get(family)?.share,
    failure_class: worst?.class,
    failures: worst?.count,
    failed_in: worst && failures?.from,
    completed: history !== null && ownOf(history, [history.completed]).length > 0,
    environment: read.started?.data.environment.name,
    engineer: engineerOf(read, adoption),
    recorded_by: history?.recorder,
    run_id: read.run,
    proposal: adoption?.envelope.run === read.run && !isEdited(read, adoption) ? adoption.data.proposal : null,
  };
}

type Configuration = EventData['ConfigAdopted']['configuration'];

/** By short name; the first of several knobs with the same one. */
function knobsIn(configuration: Configuration | null, family: string | null): Readonly<Record<string, number>> {
  const own = (configuration?.knobs ?? []).filter((one) => one.family === family);
  return Object.fromEntries(own.toReversed().map((one) => [wordOf(one), one.value]));
}

/** In the order of both configurations: if one knob replaces another, the two are adjacent. */
function changedIn(read: RunRead, { stage, adoption }: CourseStage, family: string | null): readonly string[] {
  const [from, to] = [configurationOf(read, stage - 1), configurationOf(read, stage)];
  const places = [to, from].map((one) => one?.knobs.map(({ knob }) => knob) ?? []);
  const reasons = adoption?.data.changes ?? [];
  const isKnown = from !== null && to !== null;
  const placeOf = (knob: string): number => {
    if (!isKnown) return reasons.findIndex((one) => one.knob === knob);
    return places.map((knobs) => knobs.indexOf(knob)).find((index) => index >= 0) ?? -1;
  };
  return changesFor(read, stage, reasons)
    .toSorted((a, b) => placeOf(a.knob) - placeOf(b.knob) || byBytes(a.knob, b.knob))
    .filter((one) => one.family === family)
    .map(({ knob }) => wordOf({ knob, family }));
}
