// What a run was asked to do, a fact a line, as `show` and reports have it; what nobody recorded is left out.
import type { RunShown } from '../../schemas/run-output.ts';
import { count } from '../base/quantity.ts';
import { shellLine } from '../base/shell-word.ts';

type Asked = RunShown['asked'];

export type Fact = readonly [name: string, text: string];

export function runFacts({ asked, parent, tags }: Pick<RunShown, 'asked' | 'parent' | 'tags'>): readonly Fact[] {
  const { environment, engineer, form, policy, trainer, programs, budget, seed, suites, unrecorded, code } = asked;
  const rows: readonly (readonly [string, string | null])[] = [
    ['environment', componentText(environment)],
    ['engineer', engineer === null ? null : engineerText(engineer)],
    ['form', form === null ? null : formText(form)],
    ['policy', componentText(policy)],
    ['trainer', componentText(trainer)],
    ...programs.map(({ role, command }) => [`${role} program`, shellLine(command)] as const),
    ['budget', budget === null ? null : `${amountsText(budget)} a stage`],
    ['seed', seed === null ? null : String(seed)],
    ['suites', suites === null || suites.length === 0 ? null : suites.join(', ')],
    ['rollouts', unrecorded],
    ['parent', parent === null ? null : parentText(parent)],
    ['code', code === null ? null : codeText(code)],
    ['source', asked.source],
    ['tags', tags.length === 0 ? null : tags.join(', ')],
  ];
  return rows.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
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

function engineerText(engineer: NonNullable<Asked['engineer']>): string {
  const { model, reads } = engineer;
  const asks = model === undefined ? '' : `, asks ${model}`;
  const sees = reads === undefined ? '' : reads.length === 0 ? ', blind to context' : `, reads ${reads.join(' ')}`;
  return `${componentText({ ...engineer })}${asks}${sees}`;
}

function formText({ name, modules }: NonNullable<Asked['form']>): string {
  return name === null ? modules.join(' ') : `${name}: ${modules.join(' ')}`;
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

function codeText({ version, commit, modified }: NonNullable<Asked['code']>): string {
  return `icecore ${version}${commit === null ? '' : ` at ${commit.slice(0, 12)}`}${modified === true ? ', modified' : ''}`;
}
