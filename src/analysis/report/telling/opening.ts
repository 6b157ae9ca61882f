// What the run was, and what it came to, before anything else.
import type { Report } from '../../../../schemas/report-output.ts';
import { overlap } from '../../history/figures.ts';
import { type Block, code, type Figure, paragraph, strong, type Words, warning } from '../document.ts';
import { counted, courseWords, momentWords, pointsWords, rate } from './words.ts';

export function openingBlocks(report: Report): readonly Block[] {
  return [
    { kind: 'figures', figures: figuresOf(report) },
    paragraph(...askedWords(report)),
    ...(report.run.asked.says === null ? [] : [{ kind: 'quote', text: report.run.asked.says } as const]),
    ...outcomeBlocks(report),
    ...caveats(report),
  ];
}

function figuresOf({ run, story }: Report): readonly Figure[] {
  const measured = run.stages.filter(({ valid }) => valid.value !== null);
  const [first, last] = [measured[0], measured.at(-1)];
  const turned = story.reduce((sum, { stage, turned: knobs }) => sum + (stage > 1 ? knobs : 0), 0);
  const decisions = story.filter(({ stage, turned: knobs }) => stage > 1 && knobs > 0).length;
  const alerts = run.stages.reduce((sum, one) => sum + one.alerts.length, 0);
  const gain = first === undefined || last === undefined ? 0 : (last.valid.value ?? 0) - (first.valid.value ?? 0);
  return [
    ...(last === undefined
      ? []
      : [
          {
            name: 'valid',
            value: rate({ ...last.valid, low: null, high: null }),
            says:
              last === first ? `validation, stage ${last.stage}` : `${pointsWords(gain)} since stage ${first?.stage}`,
          },
        ]),
    {
      name: 'stages',
      value: run.planned === null ? String(run.stages.length) : `${run.done} of ${run.planned}`,
      says: run.state,
    },
    { name: 'knobs turned', value: String(turned), says: `in ${counted(decisions, 'decision')}` },
    { name: 'alerts', value: String(alerts), says: alerts === 0 ? 'nothing was flagged' : 'to look at, below' },
  ];
}

function askedWords({ run }: Report): Words {
  const { asked, environment, at } = run;
  const { policy, trainer, source } = asked;
  const imported = source === null ? '' : ` It was imported from ${source}.`;
  const begun = at === null ? '' : ` It began on ${momentWords(at)} UTC.`;
  return [
    strong(run.name),
    ...(policy === null ? [' trained a policy'] : [' trained the policy ', code(policy.name)]),
    ...(trainer === null ? [] : [' with ', code(trainer.name)]),
    ...(environment === null ? [] : [' on ', code(environment)]),
    `, in ${counted(run.stages.length, 'stage')}`,
    '.',
    ...engineerWords(run),
    begun,
    imported,
    forkWords(run),
  ];
}

function engineerWords({ asked: { engineer, form } }: Report['run']): Words {
  if (engineer === null) return [];
  const decides = [' Between stages ', strong(engineer.name), ' decided how the environment should change'];
  if (engineer.reads?.length === 0) return [...decides, ', shown nothing.'];
  return form === null ? [...decides, '.'] : [...decides, ', shown ', code(form.name ?? form.modules.join('+')), '.'];
}

function forkWords({ parent, stages }: Report['run']): string {
  if (parent === null || !parent.isThere) return '';
  const shared = stages.filter(({ isShared }) => isShared).length;
  const which = shared === 1 ? 'its first stage' : `its first ${counted(shared, 'stage')}`;
  return ` It is a fork of ${parent.name} and shares ${which}.`;
}

/** From the first stage that was measured to the last. */
function outcomeBlocks({ run }: Report): readonly Block[] {
  const measured = run.stages.filter(({ valid }) => valid.value !== null);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  const [before, after] = [first.valid, last.valid];
  const gain = (after.value ?? 0) - (before.value ?? 0);
  return [
    paragraph(
      `On the validation suite, from stage ${first.stage} to stage ${last.stage}: `,
      ...courseWords({ before, after, gain, overlap: overlap(before, after), missing: null }),
      '.',
    ),
  ];
}

function caveats({ run, leftOut }: Report): readonly Block[] {
  const { state, holder, failure, parent, opaque } = run;
  const items: readonly (string | null)[] = [
    state === 'running'
      ? `It is under way${holder === null ? '' : `, in the hands of ${holder}`}: this is what was recorded so far.`
      : null,
    state === 'stopped' ? 'It was stopped before its end: this is what was recorded so far.' : null,
    failure === null
      ? null
      : `It failed${failure.during === null ? '' : ` during ${failure.during}`}: ${failure.reason}, ${failure.message}`,
    parent === null || parent.isThere
      ? null
      : `It is a fork of ${parent.name}, from stage ${parent.stage}, and this ledger does not have that history.`,
    leftOut
      ? 'Benchmarks and held-back figures are left out, because a person is still deciding and no engineer is ever shown them.'
      : null,
    opaque === 0
      ? null
      : `${counted(opaque, 'event')} of a newer icecore cannot be read and ${opaque === 1 ? 'is' : 'are'} left out.`,
  ];
  const told = items.flatMap((text): Words[] => (text === null ? [] : [[warning(text)]]));
  return told.length === 0 ? [] : [{ kind: 'warnings', items: told }];
}
