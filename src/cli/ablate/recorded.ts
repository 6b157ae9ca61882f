// Finding an ablation by what a person calls it: its name, its identity, the beginning of either, or `latest`.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AblationRecord } from '../../producers/ablation/record.ts';

interface Found {
  readonly ablation: string;
  readonly name: string;
}

export async function recordNamed(ledger: Ledger, asked: string): Promise<AblationRecord> {
  const all = await allAblations(ledger);
  const exact = all.filter(({ ablation, name }) => ablation === asked || name === asked);
  const begun = all.filter(({ ablation, name }) => ablation.startsWith(asked) || name.startsWith(asked));
  const found = exact.length > 0 ? exact : asked === 'latest' ? all.slice(-1) : begun;
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new NoSuchAblation(asked, found.length > 1 ? found : all, found.length > 1);
  return await AblationRecord.read(ledger, only.ablation);
}

async function allAblations(ledger: Ledger): Promise<Found[]> {
  const all: Found[] = [];
  for await (const events of ledger.readAll({ types: ['AblationStarted'] })) {
    for (const { stream, reading } of events) {
      const ablation = stream.slice('ablation-'.length);
      const name = reading.known && reading.type === 'AblationStarted' ? reading.data.name : undefined;
      all.push({ ablation, name: name ?? ablation });
    }
  }
  return all;
}

export class NoSuchAblation extends IcecoreError {
  override readonly name = 'NoSuchAblation';

  constructor(asked: string, all: readonly Found[], isAmbiguous: boolean) {
    const names = all.map(({ name, ablation }) => (name === ablation ? name : `${name} (${ablation})`));
    const near = nearestNames(
      asked,
      all.map(({ name }) => name),
    );
    super('not-found', isAmbiguous ? `"${asked}" may be ${names.join(' or ')}` : `there is no ablation "${asked}"`, {
      facts: { asked, ablations: names, nearest: near },
      remedy: isAmbiguous
        ? 'Write its identity.'
        : near.length > 0
          ? `Did you mean ${near.join(' or ')}?`
          : names.length === 0
            ? 'There is none yet: icecore ablate --plan shows what one would do.'
            : `There are ${names.slice(-8).join(', ')}.`,
    });
  }
}
