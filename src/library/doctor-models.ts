// `doctor` for the models of a project: sends each a short question, all at the same time.
import { IcecoreError } from '../../schemas/errors.ts';
import type { Check } from '../../schemas/output.ts';
import { counted, duration, money } from '../base/quantity.ts';
import type { ModelEntry } from '../lab/models/entries.ts';
import { ModelFault, RateLimited, TimedOut } from '../lab/models/faults.ts';
import { type Examined, examine, isAskable, limitsOf, mostExaminingCosts } from '../producers/models/models.ts';
import { Untrusted, untrustedCheck } from './consent/gate.ts';
import type { ProjectModels } from './opening/models.ts';
import type { Session } from './session.ts';

export async function modelChecks(session: Session, { entries, permit }: ProjectModels): Promise<readonly Check[]> {
  const all = Array.from(entries.values(), (entry) => ({ entry, refusal: refusalOf(entry, permit) }));
  const permitted = all.filter(({ refusal }) => refusal === null).map(({ entry }) => entry);
  await announce(session, permitted.filter(isAskable));
  return await Promise.all(all.map(({ entry, refusal }) => refusal ?? checkOf(session, entry)));
}

/** Null if the model may be asked. */
function refusalOf(entry: ModelEntry, permit: ProjectModels['permit']): Check | null {
  try {
    permit(entry);
    return null;
  } catch (fault) {
    if (fault instanceof Untrusted) return untrustedCheck(`model ${entry.name}`, fault);
    throw fault;
  }
}

/** Announces the cost before it is incurred. */
async function announce(session: Session, entries: readonly ModelEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const sums = new Map<string, number>();
  const unknown: string[] = [];
  for (const entry of entries) {
    const most = mostExaminingCosts(entry);
    if (most === null || entry.prices === null) unknown.push(entry.name);
    else sums.set(entry.prices.currency, (sums.get(entry.prices.currency) ?? 0) + most);
  }
  const known = Array.from(sums, ([currency, most]) => `${money(most, currency)} at most`);
  const costs = [...known, ...(unknown.length === 0 ? [] : [`no prices: ${unknown.join(', ')}`])].join('; ');
  await session.notify({
    kind: 'note',
    text: `asking ${counted(entries.length, 'model')} a short question (${costs}); --no-models leaves that out`,
  });
}

async function checkOf({ env, signal }: Session, entry: ModelEntry): Promise<Check> {
  const name = `model ${entry.name}`;
  try {
    return { name, ...outcomeOf(entry, await examine(entry, env, signal)) };
  } catch (fault) {
    if (!(fault instanceof IcecoreError)) throw fault;
    return { name, ...faultOutcome(entry, fault) };
  }
}

type Outcome = Omit<Check, 'name'>;

function outcomeOf(entry: ModelEntry, examined: Examined): Outcome {
  if (examined.kind === 'listed') return listedOutcome(entry, examined);
  const { model, ms, usage, cost } = examined;
  const spent = [
    ...(usage === null ? [] : [`${usage.input ?? 0} + ${usage.output ?? 0} tokens`]),
    ...(cost === null ? [] : [money(cost.total, cost.currency)]),
  ];
  const costs = spent.length === 0 ? '' : ` (${spent.join(', ')})`;
  const unasked = model === entry.base ? `; ${entry.model} cannot be asked before a checkpoint exists` : '';
  return {
    status: 'ok',
    found: `${entry.url}: ${model} answers after ${duration(ms / 1000)}${costs}${unasked}`,
    remedy: '',
  };
}

const maxListed = 5;

function listedOutcome({ url, model }: ModelEntry, { models }: Extract<Examined, { kind: 'listed' }>): Outcome {
  const unasked = `${model} cannot be asked before a checkpoint exists`;
  if (models === null) {
    const remedy = 'Set "base" to a model to ask until then; doctor can check that one.';
    return { status: 'warning', found: `${url}: ${unasked}, and ${url}/models lists no models`, remedy };
  }
  const shown = models.slice(0, maxListed).join(', ');
  const more = models.length > maxListed ? ` and ${models.length - maxListed} more` : '';
  const serves = models.length === 0 ? 'no model yet' : `${counted(models.length, 'model')} (${shown}${more})`;
  return { status: 'ok', found: `${url} serves ${serves}; ${unasked}`, remedy: '' };
}

function faultOutcome(entry: ModelEntry, fault: IcecoreError): Outcome {
  // The check's name already names the model.
  const found = fault.message.replace(`the model ${entry.name} at `, '');
  if (fault instanceof RateLimited)
    return { status: 'warning', found, remedy: 'The model is available: try again later.' };
  if (fault instanceof TimedOut && !isOwnLimit(entry, fault)) {
    const remedy = 'Check whether it is loading or busy. A run waits up to its "timeout" setting.';
    return { status: 'warning', found: `${found}, and doctor stops waiting here`, remedy };
  }
  const remedy = fault instanceof ModelFault && fault.remedy === '' ? 'Check the logs of its endpoint.' : fault.remedy;
  return { status: 'failed', found, remedy };
}

/** Whether the entry itself set a limit shorter than doctor's. */
function isOwnLimit(entry: ModelEntry, { facts }: TimedOut): boolean {
  const { wholeMs, firstByteMs, connectMs } = limitsOf(entry);
  const limits = { connect: connectMs, firstByte: firstByteMs, whole: wholeMs };
  const waited = facts['waited'] as keyof typeof limits;
  return limits[waited] === entry.limits[`${waited}Ms`];
}
