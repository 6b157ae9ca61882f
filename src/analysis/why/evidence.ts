// The labels that a reason cites, each with what it stands for: what it has to do with the knob, its figure, the same figure
// after the next stage, and the rollouts it leads to.
import type { WhyEvidence, WhyFigure } from '../../../schemas/why-output.ts';
import type { Labels } from '../../producers/proposals/citation-score.ts';
import type { StageHistory } from '../../producers/run/history.ts';
import type { Exemplar, Summary } from '../../producers/summaries/summary.ts';
import { concernOf, countsAsEvidence } from './reasons.ts';
import { exemplarOf, figureOf, summariesIn, type Telling, type Told, toldOf } from './told.ts';

export interface Citing extends Omit<Telling, 'context'> {
  /** Null where nobody knows what was shown. */
  readonly context: Telling['context'] | null;
  /** The stage that was decided on; null where it has not begun. */
  readonly itself: StageHistory | null;
}

export async function evidenceOf(
  cited: readonly string[] | null,
  group: string | null,
  of: Citing,
): Promise<WhyEvidence[]> {
  const all: WhyEvidence[] = [];
  for (const label of new Set(cited)) all.push(await evidence(label, group, of));
  return all;
}

async function evidence(label: string, group: string | null, of: Citing): Promise<WhyEvidence> {
  const { context, itself } = of;
  if (context === null) return bare(label, 'no-context', 'nobody knows what was shown');
  const { labels, without = [] } = context.data;
  const shown = Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (shown === undefined) {
    const isWithheld = without.includes(label);
    return bare(label, 'not-shown', isWithheld ? 'it was left out on purpose' : 'there was no such label');
  }
  const telling = { ...of, context };
  const told = await toldOf(label, shown, telling);
  const note = await whatIsMissing(shown, told, of);
  return {
    label,
    status: note === null ? 'shown' : 'unreadable',
    note,
    module: shown.module,
    group: shown.group,
    concerns: concernOf(shown.group, group),
    counts: countsAsEvidence(label, labels),
    events: await Promise.all(shown.events.map((id) => of.events.placed(id))),
    figure: told.figure,
    since: sinceThen(label, shown.module, told, itself),
    text: told.text,
    exemplars: exemplarsBehind(label, shown, told, telling),
  };
}

function bare(label: string, status: WhyEvidence['status'], note: string): WhyEvidence {
  return {
    label,
    status,
    note,
    module: null,
    group: null,
    concerns: null,
    counts: null,
    events: [],
    figure: null,
    since: null,
    text: null,
    exemplars: [],
  };
}

/** Null where nothing is. */
async function whatIsMissing(
  { events }: Pick<Labels[string], 'events'>,
  { figure, text, exemplar }: Told,
  of: Citing,
): Promise<string | null> {
  if (figure !== null || text !== null) return null;
  const found = await Promise.all(events.map((id) => of.events.at(id)));
  const here = found.filter((event) => event !== null);
  if (here.length < events.length && of.events.canFind) {
    return exemplar === null ? 'the event behind it is not in this ledger' : 'its rollout is not in this ledger';
  }
  if (here.some(({ reading }) => !reading.known)) return 'the event behind it is one that this icecore cannot read';
  if (exemplar !== null || here.some(({ type }) => type === 'RolloutRecorded')) return null;
  return 'what it says cannot be told from the events behind it';
}

/** The same figure, as it was summed up after the stage the knob was turned for. */
function sinceThen(
  label: string,
  module: string,
  { summary, figure }: Told,
  itself: StageHistory | null,
): WhyFigure | null {
  if (summary === null || figure === null || itself === null) return null;
  const after = itself.summaries.findLast(({ data }) => data.module === module)?.data;
  const fact = after?.facts.find(
    (one) => one.label === label && one.measure === figure.measure && (one.about ?? null) === figure.about,
  );
  return fact === undefined ? null : figureOf(fact);
}

/** Itself; of a figure, the rollouts of its group that it was made from and that were shown, and of its way to fail. */
function exemplarsBehind(
  label: string,
  { group }: Labels[string],
  { exemplar, summary, figure }: Told,
  of: Telling,
): string[] {
  if (exemplar !== null) return [label];
  if (summary === null || figure === null || group === null) return [];
  return exemplarsShown(of)
    .filter((one) => isMadeFromTheSame(one.summary, summary))
    .filter(({ exemplar: { class: failureClass }, summary: its }) => its !== summary || failureClass === figure.about)
    .filter(({ exemplar: one }) => one.group === group)
    .map(({ exemplar: one }) => one.label);
}

interface ExemplarShown {
  readonly exemplar: Exemplar;
  readonly summary: Summary;
}

/** In the order in which they were shown. */
function exemplarsShown(of: Telling): readonly ExemplarShown[] {
  const summaries = summariesIn(of);
  return Object.entries(of.context.data.labels).flatMap(([label, shown]) => {
    const exemplar = exemplarOf(label, shown, summaries);
    const summary = [...summaries.values()].findLast(({ exemplars }) => exemplars.some((one) => one === exemplar));
    return exemplar === null || summary === undefined ? [] : [{ exemplar, summary }];
  });
}

function isMadeFromTheSame({ splits: a = [] }: Summary, { splits: b = [] }: Summary): boolean {
  return a.length > 0 && a.length === b.length && a.every((split) => b.includes(split));
}
