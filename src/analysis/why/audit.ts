// All decisions of a run in one table: each change with its reason, whether its citation holds, and what its family did
// afterwards. Made of what `why` says of each decision.

import type { Audit, AuditedChange, AuditedDecision } from '../../../schemas/audit-output.ts';
import type { Why, WhyChange, WhyCourse } from '../../../schemas/why-output.ts';
import { counted } from '../../base/quantity.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  filled,
  lines,
  note,
  paragraph,
  right,
  section,
  table,
} from '../../document/document.ts';
import { courseWithPoints, shortTurnText, threeDigits, wholeRate } from '../../document/figures.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { clampText, personDecidingText } from '../history/run-document.ts';
import { citationWords, worthLegend } from './answer.ts';
import { decidedStages, type WhyOptions, whyOf } from './why.ts';

export interface AuditQuery extends Pick<WhyOptions, 'textOf' | 'finder'> {
  readonly at: string;
  /** The decision that configured this stage alone; null: all. */
  readonly stage: number | null;
}

export async function auditOf(ledger: Ledger, read: RunRead, { at, stage, ...found }: AuditQuery): Promise<Audit> {
  const stages = stage === null ? decidedStages(read).filter((one) => one > 1) : [stage];
  const decisions: AuditedDecision[] = [];
  const changes: AuditedChange[] = [];
  let environment: string | null = null;
  for (const one of stages) {
    const why = await whyOf(ledger, read, one, { ...found, depth: 1 });
    environment = why.environment;
    if (!why.isBegun && why.decision.by === null) continue;
    decisions.push(decisionOf(why));
    changes.push(...why.changes.map((change) => changeOf(change, why)));
  }
  return { ledger: ledger.url, run: read.run, name: read.name, environment, as_of: at, decisions, changes };
}

const unknownCourse: WhyCourse = {
  before: { value: null, count: null, of: null, low: null, high: null },
  after: { value: null, count: null, of: null, low: null, high: null },
  gain: null,
  overlap: null,
  missing: 'nothing is recorded',
};

function courseOf({ effects }: Why, family: string | null): WhyCourse {
  return effects.find((one) => one.family === family)?.validation ?? unknownCourse;
}

function decisionOf(why: Why): AuditedDecision {
  const { by, who, at, adopted, recordedBy, engineer, edited, ownReasons, context, says, citation } = why.decision;
  return {
    ...{ stage: why.stage, by, who, at, adopted, recordedBy, proposedBy: engineer?.name ?? null, edited },
    ownReasons,
    ...{ context: context?.form ?? null, reason: says, citation },
    changes: why.changed,
    clamps: why.decision.clamps,
    validation: courseOf(why, null),
  };
}

function changeOf({ knob, family, from, to, says, cites, restsOn }: WhyChange, why: Why): AuditedChange {
  return {
    ...{ stage: why.stage, knob, family, from, to, reason: says, cites, restsOn },
    holds: restsOn === 'no context' ? null : restsOn === 'its family' || restsOn === 'in part',
    validation: courseOf(why, family),
  };
}

export function auditDocument({ name, decisions, changes }: Audit): Document {
  const holding = changes.filter(({ holds }) => holds === true).length;
  const [first, ...others] = decisions;
  const clampLines = decisions.flatMap(({ stage, clamps }) => clamps.map((one) => `stage ${stage}: ${clampText(one)}`));
  if (first?.by === 'initial' && others.length === 0) {
    const title = `${name}@${first.stage}: given, not decided: the run started with this configuration`;
    return { title, blocks: [], sections: [] };
  }
  return {
    title: `${name}: ${counted(decisions.length, 'decision')}, ${counted(changes.length, 'change')}, ${holding} with evidence about the changed family`,
    blocks: sharedBlocks({ name, decisions }),
    sections: filled([
      section(null, decisions.length === 0 ? [paragraph('No decision is recorded yet.')] : [decisionsTable(decisions)]),
      section(
        null,
        changes.length === 0
          ? []
          : [
              table(changes, changeColumns),
              note(legendOf(decisions)),
              ...worthLegend(changes.map(({ reason }) => reason)),
            ],
      ),
      section('clamped', clampLines.length === 0 ? [] : [lines(clampLines)]),
    ]),
  };
}

/** The decisions that a fork shares with its parent were not made in it. */
function sharedBlocks({ name, decisions }: Pick<Audit, 'name' | 'decisions'>): readonly Block[] {
  const shared = decisions.filter(({ recordedBy }) => recordedBy !== null && recordedBy !== name);
  return [...Map.groupBy(shared, ({ recordedBy }) => recordedBy)].map(([recorder, own]) => {
    const stages = own.map(({ stage }) => stage).join(', ');
    const changed = own.reduce((sum, { changes }) => sum + changes, 0);
    return paragraph(
      `Of these, ${counted(own.length, 'decision')} with ${counted(changed, 'change')} (stage ${stages}) ${own.length === 1 ? 'is' : 'are'} shared history, recorded by ${recorder}.`,
    );
  });
}

const unscored = ' Blank: not scored, because a person decided or nothing was proposed.';

const legend =
  'valid: success rate on validation, with 95 % intervals, before the change and in the stage it was made for; *: the intervals do not overlap. A family may also improve because it was trained for one more stage. A citation holds if the engineer was shown the cited evidence and it is about the family of the knob; this does not make the reason right.';

const scored =
  ' Citation score: 1 if all cited evidence is about the changed families, 0 if no better than citing at random, or if nothing is cited.';

/** A column without any score is left out. */
function legendOf(decisions: readonly AuditedDecision[]): string {
  const scores = decisions.map(({ citation }) => citation);
  if (scores.every((score) => score === null)) return legend;
  return `${legend}${scored}${scores.includes(null) ? unscored : ''}`;
}

function decisionsTable(decisions: readonly AuditedDecision[]) {
  return table(decisions, [
    right('stage', ({ stage }) => String(stage)),
    { title: 'decided by', cell: deciderText },
    right('changes', ({ changes }) => String(changes)),
    right('citation score', ({ citation }) => (citation === null ? '' : threeDigits(citation))),
    right('valid % of all families', ({ validation }) => courseText(validation)),
    { title: 'reason', wraps: true, cell: ({ reason }) => reason ?? '' },
  ]);
}

function deciderText({ by, who, context, proposedBy, edited, ownReasons }: AuditedDecision): string {
  const shown = context === null ? '' : ` (${context})`;
  switch (by) {
    case 'kept':
      return `kept: the answer of ${who ?? 'the engineer'} was rejected`;
    case 'errored':
      return `kept: ${who ?? 'the engineer'} errored`;
    case 'initial':
      return 'initial configuration';
    case 'human':
      return `${personDecidingText({ who, proposedBy, edited, ownReasons })}${shown}`;
    default:
      return who === null ? 'not recorded' : `${who}${shown}`;
  }
}

const changeColumns: readonly ColumnOf<AuditedChange>[] = [
  right('stage', ({ stage }) => String(stage)),
  { title: 'knob', mark: 'strong', cell: ({ knob }) => knob },
  right('change', shortTurnText),
  { title: 'citation', cell: ({ cites, restsOn }) => citationText(cites, restsOn) },
  right('valid %', ({ validation }) => courseText(validation)),
  { title: 'reason', wraps: true, cell: ({ reason }) => reason ?? 'none given' },
];

const mostCited = 3;

function citationText(cites: AuditedChange['cites'], restsOn: AuditedChange['restsOn']): string {
  const cited = (cites ?? []).slice(0, mostCited).join(' ');
  const more = (cites ?? []).length > mostCited ? ` and ${(cites ?? []).length - mostCited} more` : '';
  return restsOn === 'its family'
    ? `holds: ${cited}${more}`
    : `${citationWords[restsOn]}${cited === '' ? '' : `: ${cited}${more}`}`;
}

/** `40 [26, 55] → 78 [65, 87], +38 *` */
function courseText({ before, after, overlap, missing }: WhyCourse): string {
  const known = [before, after].filter(({ value }) => value !== null).map(wholeRate);
  if (missing !== null) return known.length === 0 ? missing : `${known.join(' → ')}; ${missing}`;
  const { points } = courseWithPoints(before.value, after.value);
  return `${known.join(' → ')}, ${points.replace(/ points?$/, '')}${overlap === false ? ' *' : ''}`;
}
