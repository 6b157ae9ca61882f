// The evidence ids that a reason cites, each with what it stands for: what it has to do with the knob, its figure, the same figure
// after the next stage, and the rollouts it leads to.
import type { WhyEvidence, WhyFigure } from '../../../schemas/why-output.ts';
import { concernOf } from '../../producers/history/citing.ts';
import type { EvidenceIds } from '../../producers/proposals/citation-score.ts';
import type { StageHistory } from '../../producers/run/history.ts';
import type { Exemplar, Summary } from '../../producers/summaries/summary.ts';
import { countsAsEvidence } from './reasons.ts';
import { exemplarOf, figureOf, summariesIn, type Telling, type Told, toldOf } from './told.ts';

export interface Citing extends Omit<Telling, 'context'> {
  /** Null where nobody knows what was shown. */
  readonly context: Telling['context'] | null;
  /** The stage that was decided on; null where it has not begun. */
  readonly itself: StageHistory | null;
}

export async function evidenceOf(
  cited: readonly string[] | null,
  family: string | null,
  of: Citing,
): Promise<WhyEvidence[]> {
  const all: WhyEvidence[] = [];
  for (const evidenceId of new Set(cited)) all.push(await evidence(evidenceId, family, of));
  return all;
}

async function evidence(evidenceId: string, family: string | null, of: Citing): Promise<WhyEvidence> {
  const { context, itself } = of;
  if (context === null) return bare(evidenceId, 'no-context', 'nobody knows what was shown');
  const { evidenceIds, without = [] } = context.data;
  const shown = Object.hasOwn(evidenceIds, evidenceId) ? evidenceIds[evidenceId] : undefined;
  if (shown === undefined) {
    const isWithheld = without.includes(evidenceId);
    return bare(evidenceId, 'not-shown', isWithheld ? 'it was left out on purpose' : 'there was no such evidence id');
  }
  const telling = { ...of, context };
  const told = await toldOf(evidenceId, shown, telling);
  const note = await whatIsMissing(shown, told, of);
  return {
    evidenceId,
    status: note === null ? 'shown' : 'unreadable',
    note,
    module: shown.module,
    family: shown.family,
    concerns: concernOf(shown.family, family),
    counts: countsAsEvidence(evidenceId, evidenceIds),
    events: await Promise.all(shown.events.map((id) => of.events.placed(id))),
    figure: told.figure,
    since: sinceThen(evidenceId, shown.module, told, itself),
    text: told.text,
    exemplars: exemplarsBehind(evidenceId, shown, told, telling),
  };
}

function bare(evidenceId: string, status: WhyEvidence['status'], note: string): WhyEvidence {
  return {
    evidenceId,
    status,
    note,
    module: null,
    family: null,
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
  { events }: Pick<EvidenceIds[string], 'events'>,
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
  evidenceId: string,
  module: string,
  { summary, figure }: Told,
  itself: StageHistory | null,
): WhyFigure | null {
  if (summary === null || figure === null || itself === null) return null;
  const after = itself.summaries.findLast(({ data }) => data.module === module)?.data;
  const fact = after?.facts.find(
    (one) => one.evidenceId === evidenceId && one.measure === figure.measure && (one.about ?? null) === figure.about,
  );
  return fact === undefined ? null : figureOf(fact);
}

/** Itself; of a figure, the rollouts of its family that it was made from and that were shown, and of its way to fail. */
function exemplarsBehind(
  evidenceId: string,
  { family }: EvidenceIds[string],
  { exemplar, summary, figure }: Told,
  of: Telling,
): string[] {
  if (exemplar !== null) return [evidenceId];
  if (summary === null || figure === null || family === null) return [];
  return exemplarsShown(of)
    .filter((one) => isMadeFromTheSame(one.summary, summary))
    .filter(({ exemplar: { class: failureClass }, summary: its }) => its !== summary || failureClass === figure.about)
    .filter(({ exemplar: one }) => one.family === family)
    .map(({ exemplar: one }) => one.evidenceId);
}

interface ExemplarShown {
  readonly exemplar: Exemplar;
  readonly summary: Summary;
}

/** In the order in which they were shown. */
function exemplarsShown(of: Telling): readonly ExemplarShown[] {
  const summaries = summariesIn(of);
  return Object.entries(of.context.data.evidenceIds).flatMap(([evidenceId, shown]) => {
    const exemplar = exemplarOf(evidenceId, shown, summaries);
    const summary = [...summaries.values()].findLast(({ exemplars }) => exemplars.some((one) => one === exemplar));
    return exemplar === null || summary === undefined ? [] : [{ exemplar, summary }];
  });
}

function isMadeFromTheSame({ splits: a = [] }: Summary, { splits: b = [] }: Summary): boolean {
  return a.length > 0 && a.length === b.length && a.every((split) => b.includes(split));
}
