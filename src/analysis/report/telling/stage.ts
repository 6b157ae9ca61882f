// A stage of the story: who decided on what, what was turned and why, what came of it, and what stood out.
import type { Report, Told } from '../../../../schemas/report-output.ts';
import type { Decision } from '../../../../schemas/run-output.ts';
import { capital, numberWords, rateWords } from '../../../../web/charts/words.ts';
import { type Block, code, paragraph, type Section, soft, strong, type Words, warning } from '../document.ts';
import { changeRows } from './changes.ts';
import { drawingBlocks } from './drawings.ts';
import { predictionBlocks } from './predictions.ts';
import { alertWords, counted, courseWords, momentWords, turnWords } from './words.ts';

export function stageSection(told: Told, report: Report): Section {
  const { run, story } = report;
  const row = run.stages.find(({ stage }) => stage === told.stage);
  const decision = row?.decision ?? (run.next?.stage === told.stage ? run.next : null);
  return {
    id: `stage-${told.stage}`,
    title: `Stage ${told.stage}${stateWords(told, run)}`,
    blocks: [
      paragraph(...decisionWords(told)),
      ...(told.decision.says === null ? [] : [{ kind: 'quote', text: told.decision.says } as const]),
      ...rejectedBlocks(told),
      ...erroredBlocks(told.errors),
      ...passedOverBlocks(told),
      ...changeBlocks(told),
      ...startBlocks(told, report),
      ...keptBlocks(told),
      ...(decision === null ? [] : predictionBlocks(decision, report.leftOut)),
      ...resultBlocks(told, row === undefined ? null : rateWords(row.valid), row?.valid.value ?? null),
      ...alertBlocks(told),
      ...drawingBlocks(told, story),
      ...noteBlocks(told),
    ],
    sections: [],
  };
}

/** What others record may say of no stage that it was over. */
export function stateWords({ isBegun, isOver, isShared }: Told, { state }: Report['run']): string {
  if (!isBegun) return ', not begun';
  if (!isOver) return state === 'recorded' ? '' : state === 'running' ? ', under way' : ', not over';
  return isShared ? ', shared with its parent' : '';
}

export function decisionWords({ decision, stage, changes, turned }: Told): Words {
  const { by, who, engineer, context, at, proposal, citation, preservation } = decision;
  const shown =
    context === null
      ? []
      : [
          ', shown ',
          context.form === null ? 'a context' : code(context.form),
          context.isKnown ? ` with ${counted(context.evidenceIds, 'evidence id')} to cite` : '',
        ];
  const asks = engineer?.model === undefined ? '' : `, which asks ${engineer.model},`;
  const when = at === null ? '' : ` on ${momentWords(at)}`;
  const scores = [
    ...(citation === null ? [] : [`citation score ${numberWords(citation)}`]),
    ...(preservation === null ? [] : [`preservation score ${numberWords(preservation)}`]),
  ];
  const score = scores.length === 0 ? [] : [soft(` Of 1 at best: ${scores.join(', ')}.`)];
  const knobs = turned === 0 ? 'turned no knob' : `turned ${counted(turned, 'knob')}`;
  switch (by) {
    case 'initial':
      return ['The run began with this configuration; nobody was asked for it.'];
    case 'engineer':
      return ['The engineer ', strong(who ?? 'that is not named'), asks, ` ${knobs}${when}`, ...shown, '.', ...score];
    case 'human':
      return ['A person, ', strong(who ?? 'who is not named'), `, ${knobs}${when}`, ...shown, '.', ...score];
    case 'kept':
      return [
        `The configuration of stage ${stage - 1} was kept`,
        ...(who === null ? [] : [' after asking ', strong(who)]),
        ', whose answers could not be used.',
      ];
    case 'errored':
      return [
        warning('This decision is errored: '),
        strong(who ?? 'its engineer'),
        ` could not answer, and the configuration of stage ${stage - 1} stayed.`,
      ];
    default:
      if (proposal !== null)
        return [
          strong(who ?? 'An engineer'),
          ` proposed to turn ${counted(changes.length, 'knob')}; nobody adopted it.`,
        ];
      return [
        warning(
          stage === 1
            ? 'Nobody recorded who decided on its configuration.'
            : `Nobody recorded who decided${turned === 0 ? '' : `; ${counted(turned, 'knob')} changed`}.`,
        ),
      ];
  }
}

function rejectedBlocks({ rejections }: Told): readonly Block[] {
  const items = rejections.map(({ engineer, reason, issues }): Words => {
    const [issue] = issues;
    const why = issue === undefined ? '' : `: ${issue.field} was ${issue.found}, allowed is ${issue.allowed}`;
    return [warning(`An answer of ${engineer} was rejected as ${reason}${why}`)];
  });
  return items.length === 0 ? [] : [{ kind: 'warnings', items }];
}

function erroredBlocks(errors: Decision['errors']): readonly Block[] {
  const items = errors.map(
    ({ engineer, kind, message }): Words => [warning(`${engineer} errored, ${kind}: ${message}`)],
  );
  return items.length === 0 ? [] : [{ kind: 'warnings', items }];
}

function passedOverBlocks({ decision, passedOver }: Told): readonly Block[] {
  const other = decision.proposal === null ? '' : 'also ';
  const items = passedOver.map(({ engineer, changes, says }): Words => {
    const reason = says === null ? '.' : `: “${says}”`;
    return [
      strong(engineer),
      ` ${other}proposed to turn ${counted(changes, 'knob')}, and that was not adopted${reason}`,
    ];
  });
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

/** More rows than these nobody reads; what is left is told in a line. */
const mostRows = 20;

function changeBlocks(told: Told): readonly Block[] {
  const changes = told.changes.slice(0, mostRows);
  const rest = told.changes.slice(mostRows).map((one) => `${one.knob} ${turnWords(one)}`);
  return [
    ...(changes.length === 0 ? [] : [{ kind: 'changes', rows: changeRows({ ...told, changes }) } as const]),
    ...(rest.length === 0 ? [] : [paragraph('And as well: ', soft(`${listing(rest)}.`))]),
  ];
}

const mostListed = 40;

function listing(words: readonly string[]): string {
  const more = words.length > mostListed ? `, and ${words.length - mostListed} more` : '';
  return `${words.slice(0, mostListed).join(', ')}${more}`;
}

/** What there was before anything changed. */
function startBlocks({ stage }: Told, { charts }: Report): readonly Block[] {
  if (stage !== charts.stages[0]) return [];
  const set = charts.knobs.flatMap(({ knob, values }) => {
    const value = values.find((one) => one.stage === stage)?.value ?? null;
    return value === null ? [] : [`${knob}\u00a0${numberWords(value)}`];
  });
  if (set.length === 0) return [];
  return [paragraph('Its knobs: ', soft(`${listing(set)}.`))];
}

const mostKept = 8;

function keptBlocks({ kept }: Told): readonly Block[] {
  if (kept === null || kept.length === 0) return [];
  const names = kept.slice(0, mostKept).map(({ knob, value }) => `${knob} ${numberWords(value)}`);
  const more = kept.length > mostKept ? ` and ${kept.length - mostKept} more` : '';
  return [paragraph('Kept on purpose: ', soft(`${names.join(', ')}${more}.`))];
}

function resultBlocks({ stage, effects, isBegun }: Told, alone: string | null, value: number | null): readonly Block[] {
  if (!isBegun) return [];
  const overall = effects.find(({ family }) => family === null);
  if (stage > 1 && overall !== undefined && overall.validation.gain !== null) {
    return [paragraph(strong('Then'), ', on the validation suite: ', ...courseWords(overall.validation), '.')];
  }
  return value === null ? [] : [paragraph(strong('Then'), `, on the validation suite: ${alone ?? ''}.`)];
}

/** Of the stage itself: those of the one before stand there. */
function alertBlocks({ alerts, stage }: Told): readonly Block[] {
  const items = alerts.filter((one) => one.stage === stage).map((one): Words => [warning(capital(alertWords(one)))]);
  return items.length === 0 ? [] : [{ kind: 'warnings', items }];
}

function noteBlocks({ notes }: Told): readonly Block[] {
  const items = notes.map(
    ({ actor, at, knob, says }): Words => [
      strong(actor),
      ` noted on ${momentWords(at)}${knob === null ? '' : `, on ${knob}`}: ${says}`,
    ],
  );
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}
