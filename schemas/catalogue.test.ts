import { describe, expect, expectTypeOf, it } from 'vitest';
import { codeOf, type EventData, eventTypes, type NewEventOf, readEvent, versionOf } from './catalogue.ts';

const types = [...eventTypes];

describe('the catalogue', () => {
  it('knows every type by its own name', () => {
    expect(types.map(([name]) => name)).toEqual(types.map(([, { type }]) => type));
  });

  it('gives each type a unique code that fits into an id', () => {
    const codes = types.map(([, { code }]) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.every((code) => Number.isInteger(code) && code >= 1 && code <= 255)).toBe(true);
  });

  // Codes are part of ids, which are permanent, so an assigned code never changes.
  it('keeps all assigned codes', () => {
    expect(Object.fromEntries(types.map(([name, { code }]) => [name, code]))).toEqual({
      RunStarted: 1,
      StageStarted: 2,
      EvidenceSealed: 3,
      ConfigAdopted: 4,
      StageCompleted: 5,
      RunCompleted: 6,
      RunFailed: 7,
      RunTakenOver: 8,
      RolloutRecorded: 20,
      FailureRecorded: 21,
      SummaryRecorded: 40,
      ContextRecorded: 41,
      ProposalRecorded: 60,
      ProposalRejected: 61,
      ProposalErrored: 62,
      TrainingRecorded: 80,
      EvaluationRecorded: 81,
      RunClaimed: 100,
      ShardClaimed: 101,
      ShardCompleted: 102,
      AttemptFinished: 103,
      RunAnnotated: 120,
      Redacted: 121,
      ModelAnswered: 140,
      AblationStarted: 160,
      ArmProposed: 161,
      ArmRejected: 162,
      ArmErrored: 166,
      ArmTrained: 163,
      ArmEvaluated: 164,
      AblationCompleted: 165,
    });
    expect(codeOf('RolloutRecorded')).toBe(20);
    expect(versionOf('RolloutRecorded')).toBe(1);
  });

  it('allows `measured` to vary by machine in every type', () => {
    for (const [, { versions }] of types) expect(Object.keys(versions.at(-1)?.shape ?? {})).toContain('measured');
  });

  it('has a TypeScript type for the data of each event type', () => {
    expectTypeOf<EventData['RolloutRecorded']['outcome']>().toEqualTypeOf<string>();
    expectTypeOf<EventData['ConfigAdopted']['changes'][number]['cites']>().toEqualTypeOf<readonly string[] | null>();
    expectTypeOf<NewEventOf<'RunAnnotated'>['data']['note']>().toEqualTypeOf<string>();
    const reading = readEvent('RunAnnotated', 1, { note: 'cold' });
    if (reading.known && reading.type === 'RunAnnotated') expectTypeOf(reading.data.note).toEqualTypeOf<string>();
  });
});
