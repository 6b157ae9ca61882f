// The ablations that are already recorded, and which of them a name means.
import { IcecoreError } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { RunNotFound } from '../../ledger/runs.ts';
import type { Design } from '../../producers/ablation/design.ts';
import { AblationRecord } from '../../producers/ablation/record.ts';

interface AblationName {
  readonly ablation: string;
  readonly name: string;
}

/** The ablation with that name or identity, a prefix of either, or `latest`. */
export async function recordNamed(ledger: Ledger, named: string): Promise<AblationRecord> {
  const all = await allAblations(ledger);
  const exact = all.filter(({ ablation, name }) => ablation === named || name === named);
  const begun = all.filter(({ ablation, name }) => ablation.startsWith(named) || name.startsWith(named));
  const found = exact.length > 0 ? exact : named === 'latest' ? all.slice(-1) : begun;
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new NoSuchAblation(named, ledger.url, found.length > 1 ? found : all, found.length > 1);
  return await AblationRecord.read(ledger, only.ablation);
}

/** Refuses a name that another design has. The same design continues under its name. */
export async function requireFreeName(
  ledger: Ledger,
  { name, ablation }: Pick<Design, 'name' | 'ablation'>,
): Promise<void> {
  if (name === null) return;
  const other = (await allAblations(ledger)).find((one) => one.name === name && one.ablation !== ablation);
  if (other === undefined) return;
  throw new IcecoreError(
    'conflict',
    `an ablation called ${name} exists already, with other arms, decisions or options`,
    {
      name: 'NameTaken',
      facts: { name, ablation: other.ablation },
      remedy: `Choose another --name. To see that ablation: icecore ablate --show ${shellWord(name)}`,
    },
  );
}

/** Looks for runs; where one of the names is that of an ablation, the error says so. */
export async function withAblationHint<Found>(ledger: Ledger, find: () => Promise<Found>): Promise<Found> {
  try {
    return await find();
  } catch (fault) {
    if (!(fault instanceof RunNotFound)) throw fault;
    const asked = String(fault.facts['asked']);
    const found = (await allAblations(ledger)).find(({ ablation, name }) => name === asked || ablation === asked);
    if (found === undefined) throw fault;
    throw new IcecoreError('not-found', `${asked} is an ablation, not a run`, {
      name: 'RunNotFound',
      facts: { asked, url: ledger.url, ablation: found.ablation },
      remedy: `To see it: icecore ablate --show ${shellWord(asked)}`,
    });
  }
}

async function allAblations(ledger: Ledger): Promise<AblationName[]> {
  const all: AblationName[] = [];
  for await (const events of ledger.readAll({ types: ['AblationStarted'] })) {
    for (const { stream, reading } of events) {
      const ablation = stream.slice('ablation-'.length);
      const name = reading.known && reading.type === 'AblationStarted' ? reading.data.name : undefined;
      all.push({ ablation, name: name ?? ablation });
    }
  }
  return all;
}

class NoSuchAblation extends IcecoreError {
  override readonly name = 'NoSuchAblation';

  constructor(named: string, ledger: string, all: readonly AblationName[], isAmbiguous: boolean) {
    const names = all.map(({ name, ablation }) => (name === ablation ? name : `${name} (${ablation})`));
    const near = nearestNames(
      named,
      all.map(({ name }) => name),
    );
    const what = isAmbiguous
      ? `"${named}" matches ${names.join(' or ')}`
      : `there is no ablation "${named}" in ${ledger}`;
    super('not-found', what, {
      facts: { asked: named, ledger, ablations: names, nearest: near },
      remedy: isAmbiguous ? 'Give its identity.' : didYouMean(near, recordedText(names)),
    });
  }
}

function recordedText(names: readonly string[]): string {
  if (names.length === 0) return 'None is recorded yet. icecore ablate --plan shows what one would do.';
  return `Recorded ablations: ${names.slice(-8).join(', ')}.`;
}
