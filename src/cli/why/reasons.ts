// Why a knob was turned or kept, as an outline: what is said, what is cited, its figures, and the rollouts they lead to.
import type { Why, WhyEvidence, WhyExemplar, WhyReasons } from '../../../schemas/why-output.ts';
import { figureText, subjectText } from './figures.ts';
import { type Branch, type Line, leaf, line, perhaps } from './outline.ts';

/** The rollouts that were drawn already: each is drawn once. */
export type Drawn = Set<string>;

export function reasonLines({ says, cites, verdict, restsOn }: WhyReasons, depth: number): readonly Line[] {
  const isBare = cites === null || cites.length === 0;
  const tone = restsOn === 'its family' && verdict.startsWith('rests') ? 'quiet' : 'warning';
  const cited = isBare || depth > 2 ? verdict : `because ${cites.join(', ')}: ${verdict}`;
  if (depth < 2) return restsOn === 'its family' ? [] : [line(verdict, tone)];
  return [...perhaps(says === null ? null : `"${says}"`), line(cited, tone)];
}

export function reasonBranches({ evidence }: WhyReasons, why: Why, drawn: Drawn): readonly Branch[] {
  if (why.depth < 3) return [];
  const width = Math.max(0, ...evidence.map(({ evidenceId }) => evidenceId.length));
  const evidenceIds = [...new Set(evidence.flatMap(({ exemplars }) => exemplars))];
  const seen = evidenceIds.flatMap((evidenceId) => why.exemplars.find((one) => one.evidenceId === evidenceId) ?? []);
  const figures = evidence.filter(({ evidenceId }) => !seen.some((one) => one.evidenceId === evidenceId));
  return [
    ...figures.map((one) => evidenceBranch(one, width, why.stage)),
    ...seen.map((one) => exemplarBranch(one, evidence, drawn)),
    ...(why.depth === 4 && evidenceIds.length === 0 && evidence.some(isOfRollouts)
      ? [leaf('none of the rollouts behind was shown', 'quiet')]
      : []),
  ];
}

function isOfRollouts({ status, counts }: WhyEvidence): boolean {
  return status === 'shown' && counts === true;
}

function evidenceBranch(evidence: WhyEvidence, width: number, stage: number): Branch {
  const { evidenceId, since, text, note, status } = evidence;
  const now = since === null ? '' : `after stage ${stage} ${figureText(since)}`;
  const missing = note === null ? '' : status === 'not-shown' ? `not shown: ${note}` : note;
  const words = [standsFor(evidence), now, concernText(evidence), missing].filter((word) => word !== '');
  const isSound = note === null && evidence.concerns !== 'another family' && evidence.counts !== false;
  const first = line(`${evidenceId.padEnd(width)}  ${words.join('; ')}`.trimEnd(), isSound ? 'plain' : 'warning');
  return { lines: [first, ...(text ?? '').split('\n').flatMap((one) => perhaps(one.trim()))], branches: [] };
}

/** A figure, or a rollout that is not told of at this depth. */
function standsFor({ evidenceId, figure, exemplars, family }: WhyEvidence): string {
  if (figure === null) return exemplars.includes(evidenceId) ? rolloutText(family) : '';
  return [subjectText(evidenceId, figure), figureText(figure)].filter((word) => word !== '').join(' ');
}

function rolloutText(family: string | null): string {
  return `a rollout${family === null ? '' : ` of family ${family}`}`;
}

/** Empty where it concerns what it is cited for. */
function concernText({ concerns, family, counts, module }: WhyEvidence): string {
  const whose = family === null ? 'of all families' : `of family ${family}`;
  const words = [
    ...(concerns === 'another family' ? [`${whose}, another one`] : concerns === 'in part' ? [whose] : []),
    ...(counts === false ? [`tells nothing of what the policy did${module === null ? '' : ` (${module})`}`] : []),
  ];
  return words.join('; ');
}

function exemplarBranch(exemplar: WhyExemplar, evidence: readonly WhyEvidence[], drawn: Drawn): Branch {
  const { evidenceId, says, drawing, note } = exemplar;
  const first = line(`${evidenceId}  ${headText(exemplar, evidence)}`);
  if (drawn.has(evidenceId)) return { lines: [line(`${first.text}; see above`)], branches: [] };
  drawn.add(evidenceId);
  return {
    lines: [
      first,
      ...perhaps(says === null || drawing?.includes(says) === true ? null : `"${says}"`),
      ...(drawing === null ? [] : [{ text: drawing, tone: 'plain', isDrawn: true } as const]),
      ...perhaps(note, 'warning'),
    ],
    branches: [],
  };
}

/** `a rollout of family 8: hole in step 1; evidence-k3v-1-0-0@17`. */
function headText(exemplar: WhyExemplar, evidence: readonly WhyEvidence[]): string {
  const { evidenceId, family, class: failureClass, failures, rollout, stage } = exemplar;
  const own = evidence.find((one) => one.evidenceId === evidenceId);
  const step = failures[0]?.step ?? null;
  const how = `${failureClass ?? exemplar.outcome ?? 'it failed'}${step === null ? '' : ` in step ${step}`}`;
  const where = rollout.stream === null ? rollout.event : `${rollout.stream}@${rollout.revision}`;
  const when = stage === null ? '' : ` in stage ${stage}`;
  const whose = `${rolloutText(family)}${when}: ${how}`;
  const concern = own === undefined ? '' : concernText(own);
  return [whose, concern, `icecore event show ${where}`].filter((word) => word !== '').join('; ');
}
