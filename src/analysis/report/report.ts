// The report of a run as a value: the content of its HTML, Markdown and JSON. It reads decisions and single events by id, and
// for the replay a limited number of rollouts, so its cost hardly depends on how many there are.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { ChartData, KnobCourse, RateAt, SignalAt } from '../../../schemas/chart-data.ts';
import type { DrawnFailure, Report, StoryEntry } from '../../../schemas/report-output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { makeHead } from '../../ledger/seal/head.ts';
import { configurationOf, sharesIn, turn } from '../../producers/history/configurations.ts';
import {
  failureClasses,
  failuresOf,
  familiesOf,
  rateOf,
  signalOf,
  validationOf,
} from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';
import { EventFinder } from '../../projections/finding.ts';
import { isForPerson, isHidden, runToDecide } from '../history/hidden.ts';
import { runShown } from '../history/runs.ts';
import { Events, type TextOf } from '../why/evidence.ts';
import { Drawer, type RegistryToDraw } from '../why/rollouts.ts';
import { decidedStages, signalRate, whyOf } from '../why/why.ts';
import { type PictureSources, picturesOf } from './pictures.ts';

export interface ReportOptions {
  /** The version of icecore. */
  readonly by: string;
  readonly at: string;
  /** Includes what is left out while a person decides. */
  readonly all: boolean;
  /** Reads texts that are stored as blobs. */
  readonly textOf: TextOf;
  /** Finds events by id; by default, the ledger does. */
  readonly finder?: EventFinder | undefined;
  /** Has the environments that draw rollouts. */
  readonly registry?: RegistryToDraw;
}

/** If there are more decisions, the first ones are only in charts and tables. */
const mostInStory = 60;

/** The head of a longer ledger takes longer than the rest of the report. */
const mostForHead = 200_000;

export async function reportOf(
  ledger: Ledger,
  read: RunRead,
  { by, at, all, textOf, finder, registry }: ReportOptions,
): Promise<Report> {
  const isOpen = all || !isForPerson(read);
  const whole = await runShown(ledger, read);
  const { ledger: _, ...run } = isOpen ? whole : runToDecide(whole);
  const decided = decidedStages(read);
  const recent = decided.slice(-mostInStory);
  const story: StoryEntry[] = [];
  for (const stage of recent) {
    const { ledger: __, ...why } = await whyOf(ledger, read, stage, {
      textOf,
      ...(finder === undefined ? {} : { finder }),
      ...(registry === undefined ? {} : { registry }),
    });
    story.push(why);
  }
  const drawn = drawnIn(read);
  const { events } = await ledger.head();
  return {
    as_of: at,
    by,
    ledger: { id: ledger.id, events, head: events <= mostForHead ? await makeHead(ledger) : null },
    end: await endOf(ledger, read.run),
    leftOut: !isOpen,
    run,
    story,
    untold: decided.length - recent.length,
    drawn,
    ...(await picturesIn({ ledger, read, story, drawn }, { textOf, finder, registry })),
    charts: chartDataOf(read, isOpen),
  };
}

/** Without a registry there are none. */
async function picturesIn(
  of: Pick<PictureSources, 'ledger' | 'read' | 'story' | 'drawn'>,
  {
    textOf,
    finder = new EventFinder(of.ledger),
    registry,
  }: Pick<ReportOptions, 'textOf' | 'finder'> & { readonly registry: RegistryToDraw | undefined },
): Promise<Pick<Report, 'pictures' | 'replay'>> {
  if (registry === undefined) return { pictures: [], replay: null };
  const drawer = new Drawer(of.read, textOf, registry);
  try {
    return await picturesOf({ ...of, events: new Events(finder), drawer });
  } finally {
    await drawer.close();
  }
}

async function endOf(ledger: Ledger, run: string): Promise<Report['end']> {
  const stream = streamOf.run(run);
  for await (const events of ledger.read(stream, { backwards: true, limit: 1 })) {
    for (const { revision, digest } of events) return { stream, revision, digest };
  }
  return null;
}

const mostDrawn = 6;

/** Failures as drawn for engineers: of the last stage with failures, one of each class, the most frequent class first. */
function drawnIn({ stages }: RunRead): DrawnFailure[] {
  for (const one of stages.toReversed()) {
    const summary = one.summaries.findLast(({ data }) => data.module === 'failures')?.data;
    const drawn = (summary?.exemplars ?? []).flatMap(({ drawing, ...exemplar }) =>
      drawing === undefined || drawing === '' ? [] : [{ ...exemplar, drawing }],
    );
    if (drawn.length === 0) continue;
    const order = failureClasses(failuresOf(one)).map(({ class: name }) => name);
    const byClass = Map.groupBy(drawn, (exemplar) => exemplar.class ?? '');
    const names = [...order, ...byClass.keys()].filter((name, i, all) => all.indexOf(name) === i);
    const firsts = names.flatMap((name) => byClass.get(name)?.slice(0, 1) ?? []);
    const others = drawn.filter((exemplar) => !firsts.includes(exemplar));
    return [...firsts, ...others].slice(0, mostDrawn).map((exemplar) => ({
      stage: one.stage,
      evidenceId: exemplar.evidenceId,
      family: exemplar.family,
      class: exemplar.class ?? null,
      says: exemplar.description ?? null,
      drawing: exemplar.drawing,
      rollout: exemplar.rollout,
    }));
  }
  return [];
}

type Evaluation = EventData['EvaluationRecorded'];

/** `isOpen`: includes what engineers never see. */
function chartDataOf(read: RunRead, isOpen: boolean): ChartData {
  const { stages } = read;
  const failures = stages.map((one) => ({ stage: one.stage, classes: failureClasses(failuresOf(one)) }));
  return {
    stages: stages.map(({ stage }) => stage),
    families: read.descriptor?.families.map(({ family }) => family) ?? [],
    shares: stages.flatMap(({ stage }) =>
      sharesIn(read.descriptor, configurationOf(read, stage)).map((one) => ({ stage, ...one })),
    ),
    rates: stages.flatMap((one) => ratesOf(one, isOpen)),
    failures: failures.flatMap(({ stage, classes }) => classes.map((one) => ({ stage, ...one }))),
    failuresOf: wholeOf(failures.map(({ classes }) => classes)),
    signal: stages.flatMap(signalsOf),
    knobs: knobsOf(read),
  };
}

const measures = ['valid', 'optimal'] as const;

function ratesOf(history: StageHistory, isOpen: boolean): readonly RateAt[] {
  const watched = validationOf(history)?.data ?? null;
  const others = history.evaluations.map(({ data }) => data).filter((one) => one.split !== 'validation');
  const shown = [...(watched === null ? [] : [watched]), ...others].filter((one) => isOpen || !isHidden(one));
  return shown.flatMap((one) => {
    const families = one === watched ? [null, ...familiesOf(one)] : [null];
    return families.flatMap((family) => measures.flatMap((measure) => rateAt(history.stage, one, measure, family)));
  });
}

function rateAt(stage: number, evaluation: Evaluation, measure: string, family: string | null): readonly RateAt[] {
  const { value, low, high, of } = rateOf(evaluation, measure, family);
  if (value === null) return [];
  return [{ suite: evaluation.suite.name, split: evaluation.split, measure, family, stage, value, low, high, of }];
}

function wholeOf(stages: readonly (readonly { readonly share: number | null }[])[]): ChartData['failuresOf'] {
  const known = stages.filter((classes) => classes.some(({ share }) => share !== null));
  if (known.length === 0) return null;
  const sums = known.map((classes) => classes.reduce((sum, { share }) => sum + (share ?? 0), 0));
  return sums.every((sum) => Math.abs(sum - 1) < 1e-9) ? 'failed' : 'tries';
}

function signalsOf(history: StageHistory): readonly SignalAt[] {
  const { training, evaluations, summaries, completed, stage } = history;
  const alerts = [training, ...evaluations, ...summaries, completed].flatMap((one) => one?.data.alerts ?? []);
  const collapsed = alerts.filter(({ kind }) => kind === 'signal-collapse').map(({ family }) => family);
  const families = [null, ...new Set(training?.data.learningSignal?.flatMap(({ family }) => family ?? []))];
  return families.map((family) => {
    const { low, high } = signalRate(history, family);
    return { stage, family, share: signalOf(history, family), low, high, hasCollapsed: collapsed.includes(family) };
  });
}

/** In the order of the environment. */
function knobsOf(read: RunRead): KnobCourse[] {
  const steps = new Map(read.descriptor?.knobs.map(({ name, step }) => [name, step]));
  const configurations = read.stages.map(({ stage }) => ({
    stage,
    knobs: new Map(configurationOf(read, stage)?.knobs.map((one) => [one.knob, one])),
  }));
  const families = new Map(
    configurations.flatMap(({ knobs }) => Array.from(knobs, ([knob, { family }]) => [knob, family])),
  );
  const names = new Set([...steps.keys(), ...families.keys()]);
  return [...names].flatMap((knob) => {
    if (!families.has(knob)) return [];
    const values = configurations.map(({ stage, knobs }, i) => {
      const value = knobs.get(knob)?.value ?? null;
      const before = configurations[i - 1]?.knobs.get(knob)?.value ?? null;
      const isChanged = i > 0 && value !== null && turn(steps.get(knob), before, value).isChanged;
      return { stage, value, isChanged };
    });
    return [{ knob, family: families.get(knob) ?? null, values }];
  });
}
