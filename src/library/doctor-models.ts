// What `doctor` finds out about the models of a project: each is asked one short question, all at once.
import { IcecoreError } from '../../schemas/errors.ts';
import type { Check } from '../../schemas/output.ts';
import { counted, duration, money } from '../base/quantity.ts';
import type { ModelEntry } from '../lab/models/entries.ts';
import { ModelFault, RateLimited, TimedOut } from '../lab/models/faults.ts';
import { type Examined, examine, isAskable, limitsOf, mostExaminingCosts } from '../producers/models/models.ts';
import { notAsked, Untrusted } from './consent/gate.ts';
import type { ProjectModels } from './opening/models.ts';
import type { Session } from './session.ts';

export async function modelChecks(session: Session, { entries, permit }: ProjectModels): Promise<readonly Check[]> {
  const all = Array.from(entries.values(), (entry) => ({ entry, refusal: refusalOf(entry, permit) }));
  const permitted = all.filter(({ refusal }) => refusal === null).map(({ entry }) => entry);
  await announce(session, permitted.filter(isAskable));
  return await Promise.all(all.map(({ entry, refusal }) => refusal ?? checkOf(session, entry)));
}

/** Null where the model may be asked. */
function refusalOf(entry: ModelEntry, permit: ProjectModels['permit']): Check | null {
  try {
    permit(entry);
    return null;
  } catch (fault) {
    if (fault instanceof Untrusted) return notAsked(`model ${entry.name}`, fault);
    throw fault;
  }
}

/** What it may cost is said before it does. */
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
  const unasked = model === entry.base ? `; ${entry.model} cannot be asked before there is a checkpoint` : '';
  return {
    status: 'ok',
    found: `${entry.url}: ${model} answers after ${duration(ms / 1000)}${costs}${unasked}`,
    remedy: '',
  };
}

const mostListed = 5;

function listedOutcome({ url, model }: ModelEntry, { models }: Extract<Examined, { kind: 'listed' }>): Outcome {
  const unasked = `${model} cannot be asked before there is a checkpoint`;
  if (models === null) {
    const remedy = 'Name a model to ask until then, "base", and it can be checked.';
    return { status: 'warning', found: `${url}: ${unasked}, and there is no list at ${url}/models`, remedy };
  }
  const shown = models.slice(0, mostListed).join(', ');
  const more = models.length > mostListed ? ` and ${models.length - mostListed} more` : '';
  const serves = models.length === 0 ? 'no model yet' : `${counted(models.length, 'model')} (${shown}${more})`;
  return { status: 'ok', found: `${url} serves ${serves}; ${unasked}`, remedy: '' };
}

function faultOutcome(entry: ModelEntry, fault: IcecoreError): Outcome {
  // The name stands before it already.
  const found = fault.message.replace(`the model ${entry.name} at `, '');
  if (fault instanceof RateLimited) return { status: 'warning', found, remedy: 'It is there: try again later.' };
  if (fault instanceof TimedOut && !isOwnLimit(entry, fault)) {
    const remedy = 'See whether it is loading or busy. A run waits as long as its "timeout" says.';
    return { status: 'warning', found: `${found}, and doctor waits no longer`, remedy };
  }
  const remedy =
    fault instanceof ModelFault && fault.remedy === '' ? 'See what its endpoint has to say.' : fault.remedy;
  return { status: 'failed', found, remedy };
}

/** Whether it was the entry that asked for so short a time. */
function isOwnLimit(entry: ModelEntry, { facts }: TimedOut): boolean {
  const { wholeMs, firstByteMs, connectMs } = limitsOf(entry);
  const limits = { connect: connectMs, firstByte: firstByteMs, whole: wholeMs };
  const waited = facts['waited'] as keyof typeof limits;
  return limits[waited] === entry.limits[`${waited}Ms`];
}
