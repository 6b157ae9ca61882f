// What a run was asked to do, a line a thing; what nobody recorded has none.
import type { RunShown } from '../../../schemas/run-output.ts';
import { shellLine } from '../../ledger/shell-word.ts';
import { count } from '../output/quantity.ts';
import { visible } from '../output/visible.ts';

type Asked = RunShown['asked'];
type Row = readonly [title: string, text: string];

export function askedRows({ run, name, asked, parent, tags }: RunShown): readonly Row[] {
  const {
    environment,
    engineer,
    form,
    policy,
    trainer,
    programs,
    budget,
    seed,
    suites,
    unrecorded,
    code,
    source,
    says,
  } = asked;
  const rows: readonly (readonly [string, string | null])[] = [
    ['identity', run === name ? null : run],
    ['environment', componentText(environment)],
    ['engineer', engineerText(engineer)],
    ['form', formText(form)],
    ['policy', componentText(policy)],
    ['trainer', componentText(trainer)],
    ...programs.map(({ role, command }) => [`${role} program`, shellLine(command)] as const),
    ['budget', budget === null ? null : `${amountsText(budget)} a stage`],
    ['seed', seed === null ? null : String(seed)],
    ['suites', suites === null || suites.length === 0 ? null : suites.join(', ')],
    ['rollouts', unrecorded],
    ['parent', parent === null ? null : parentText(parent)],
    ['code', codeText(code)],
    ['source', source],
    ['tags', tags.length === 0 ? null : tags.join(', ')],
    ['says', says],
  ];
  return rows.flatMap(([title, text]) => (text === null ? [] : [[`  ${title}`, visible(text)] as const]));
}

function componentText(component: Asked['policy']): string | null {
  if (component === null) return null;
  const { name, version, parameters = {} } = component;
  const simple = Object.entries(parameters).filter(([, value]) =>
    ['number', 'string', 'boolean'].includes(typeof value),
  );
  const settings = simple.length === 0 ? '' : ` (${simple.map(([key, value]) => `${key} ${value}`).join(', ')})`;
  return `${name}${version === undefined ? '' : ` ${version}`}${settings}`;
}

function engineerText(engineer: Asked['engineer']): string | null {
  if (engineer === null) return null;
  const { model, reads } = engineer;
  const asks = model === undefined ? '' : `, asks ${model}`;
  const sees = reads === undefined ? '' : reads.length === 0 ? ', blind to context' : `, reads ${reads.join(' ')}`;
  return `${componentText({ ...engineer })}${asks}${sees}`;
}

function formText(form: Asked['form']): string | null {
  if (form === null) return null;
  const modules = form.modules.join(' ');
  return form.name === null ? modules : `${form.name}: ${modules}`;
}

export function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([unit, amount]) => `${count(amount)} ${unit}`)
    .join(', ');
}

function parentText({ run, name, stage, isThere }: NonNullable<RunShown['parent']>): string {
  const identity = run === name ? '' : ` (${run})`;
  return `${name}@${stage}${identity}${isThere ? '' : ': this ledger does not have its history'}`;
}

function codeText(code: Asked['code']): string | null {
  if (code === null) return null;
  const commit = code.commit === null ? '' : ` at ${code.commit.slice(0, 12)}`;
  return `icecore ${code.version}${commit}${code.modified === true ? ', modified' : ''}`;
}
