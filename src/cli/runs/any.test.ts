import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvent, codeOf, eventTypes, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { currentVersion } from '../../../schemas/family.ts';
import { parsed, valuesOf } from '../../../schemas/testing/arbitrary.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import { json, steering } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { placeWhere } from './testing/looking.ts';

const types: readonly TypeName[] = [
  'RunStarted',
  'StageStarted',
  'TrainingRecorded',
  'EvaluationRecorded',
  'SummaryRecorded',
  'StageCompleted',
  'ProposalRecorded',
  'ProposalRejected',
  'ConfigAdopted',
  'RunFailed',
];

/** Random events that the catalogue allows, for two stages. */
const histories = fc.sample(fc.tuple(...types.map((type) => valuesOf(dataOf(type)).map(parsed))), {
  numRuns: 8,
  seed: 7,
});

function dataOf(type: TypeName) {
  const declared = eventTypes.get(type);
  const schema = declared?.versions[currentVersion(declared) - 1];
  if (schema === undefined) throw new Error(`no type ${type}`);
  return schema;
}

const withoutStage: readonly TypeName[] = ['RunStarted', 'RunFailed'];

function eventsOf(run: string, history: readonly unknown[]): NewEvent[] {
  return [1, 2].flatMap((stage) =>
    types.flatMap((type, i): NewEvent[] => {
      if (stage === 2 && withoutStage.includes(type)) return [];
      const event = {
        id: eventId({ run, stage, kind: codeOf(type), index: i }),
        type,
        version: versionOf(type),
        at: '2026-07-01T12:00:00.000Z',
        actor: 'producer/run',
        run,
        stage: withoutStage.includes(type) ? null : stage,
        causes: [],
        data: history[i],
      };
      return checkEvent(`run-${run}`, event).length === 0 ? [event] : [];
    }),
  );
}

describe('runs of random valid events', () => {
  it('are shown by runs, show and diff, with valid JSON and without control characters', async () => {
    const runs = Array.from(histories.keys(), (i) => `any${10 + i}`);
    let written = 0;
    const { look } = await placeWhere(async (ledger) => {
      for (const [i, run] of runs.entries()) {
        const events = eventsOf(run, histories[i] ?? []);
        written += events.length;
        await ledger.append(`run-${run}`, events, { expect: 'none' });
      }
    });
    expect(written).toBeGreaterThan(5 * runs.length);
    for (const run of runs) {
      for (const [name, ...argv] of [
        ['show', 'show', run],
        ['show-stage', 'show', `${run}@2`],
        ['diff', 'diff', `${run}@2`, '--verbose'],
      ] as const) {
        const [people, programs] = [await look(...argv), await look(...argv, '--json')];
        expect(people, people.stderr).toMatchObject({ code: 0 });
        expect(steering(people.stdout + people.stderr)).toEqual([]);
        expect(faultsAgainst(name, json(programs))).toEqual([]);
      }
    }
    expect(faultsAgainst('runs', json(await look('runs', '--json')))).toEqual([]);
  });
});
