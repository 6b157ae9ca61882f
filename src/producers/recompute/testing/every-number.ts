// All recorded numbers by type and field, and whether a forgery of each is found.

import { join } from 'node:path';
import fc from 'fast-check';
import { tries } from '../../../../schemas/testing/tries.ts';
import { InvalidEvents } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';
import { verifyLedger } from '../../../ledger/verify/verify.ts';
import { type TinyPlace, tinyPlace } from '../../run/testing/tiny.ts';
import type { RecomputeOptions } from '../recompute.ts';
import { again } from './again.ts';
import { forge } from './forging.ts';
import { fieldAt, numbersIn, type Path, withNumber } from './numbers.ts';

/**
 * Fields of event data that are not verified, by type, including nested fields. `measured` is never recomputed;
 * docs/trust.md lists them.
 */
export const unsupportedFields: Readonly<Record<string, readonly string[]>> = {
  RunClaimed: ['fencingToken', 'leaseSeconds'],
  RunTakenOver: ['fencingToken'],
  AttemptFinished: ['fencingToken', 'place'],
  RunStarted: ['options.contextTokens'],
  RolloutRecorded: [
    'agentSteps',
    'task.facts',
    'metrics.entropy',
    'metrics.logProbability',
    'metrics.value',
    'tokens',
    'cost',
  ],
  TrainingRecorded: ['curve[].values.kl', 'learningSignal[].kl'],
  ArmTrained: ['curve[].values.kl', 'learningSignal[].kl'],
  ProposalRecorded: ['predictions', 'sample'],
  ArmProposed: ['predictions', 'sample', 'engineer.checkpoint'],
};

interface Place {
  readonly event: string;
  readonly path: Path;
}

/** By type and field, so that the many numbers of rollouts do not hide the few of decisions. */
export type Numbers = ReadonlyMap<string, readonly Place[]>;

/** Numbers that are verified, of the selected events. */
export async function numbersOf(ledger: Ledger, takes: (event: StoredEvent) => boolean = () => true): Promise<Numbers> {
  const fields = new Map<string, Place[]>();
  for await (const events of ledger.readAll()) {
    for (const event of events.filter(takes)) {
      for (const path of numbersIn(event.envelope.data)) {
        const key = `${event.type} ${fieldAt(path)}`;
        if (isUnsupported(key) || remade.includes(key)) continue;
        fields.set(key, [...(fields.get(key) ?? []), { event: event.id, path }]);
      }
    }
  }
  return fields;
}

function isUnsupported(key: string): boolean {
  const [type = '', field = ''] = key.split(' ');
  const listed = ['measured', ...(unsupportedFields[type] ?? [])];
  return listed.some((one) => field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`));
}

/** Seals and causes of evidence are made again by the forger. */
const remade: readonly string[] = ['EvidenceSealed attempts[].count'];

const changes: readonly ((before: number) => number)[] = [
  (n) => n + 1,
  (n) => n * 0.9375 - 0.03125,
  (n) => -n - 1,
  (n) => (n > 0 ? 0 : 2),
];

/** Forges random numbers, one per copy. Throws if one is not found. */
export async function requireFound(
  place: TinyPlace,
  numbers: Numbers,
  numRuns: number,
  others: Partial<Pick<RecomputeOptions, 'run' | 'conclude'>> = {},
): Promise<void> {
  const keys = [...numbers.keys()];
  const number = fc.record({ field: fc.nat(), which: fc.nat(), change: fc.constantFrom(...changes) });
  const property = fc.asyncProperty(number, async ({ field, which, change }) => {
    const key = keys[field % keys.length] as string;
    const places = numbers.get(key) ?? [];
    if (!(await isFound(place, places[which % places.length] as Place, change, others))) throw new Error(key);
  });
  await fc.assert(property, { numRuns: tries(numRuns) });
}

async function isFound(
  place: TinyPlace,
  { event, path }: Place,
  change: (before: number) => number,
  others: Partial<Pick<RecomputeOptions, 'run' | 'conclude'>>,
): Promise<boolean> {
  const copy = await tinyPlace();
  const forged = ({ id }: StoredEvent, data: unknown) => (id === event ? withNumber(data, path, change) : data);
  try {
    await forge(place.ledger, copy.ledger, forged);
    const blobs = `folder:${join(place.folder, 'blobs')}`;
    const { faults } = await verifyLedger(copy.ledger.url, { blobs, run: null, head: null });
    return faults > 0 || (await again(copy.ledger, others)).findings.faults > 0;
  } catch (fault) {
    if (fault instanceof InvalidEvents) return true;
    throw fault;
  } finally {
    await copy.close();
  }
}
