// Warnings at the end of a stage about problems that make its results useless.
import { expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { descriptor as lake } from '../../../testbed/lake/configuration.ts';
import { newStage, nowhere, type StageHistory } from '../../producers/history/run-history.ts';
import { stageWarnings } from './stage-warnings.ts';

const none = { value: null, reason: 'NaN' };

function stageWith(curve: EventData['TrainingRecorded']['curve'], failing: readonly string[] = []): StageHistory {
  const facts = failing.map((about) => ({
    evidenceId: `FC4.${about}`,
    family: '4',
    measure: 'failures',
    about,
    value: 1,
  }));
  return {
    ...newStage(1, { ...nowhere, data: {} }),
    training: { ...nowhere, data: { curve } },
    summaries: [{ ...nowhere, data: { module: 'failures', facts, exemplars: [], text: null } }],
  };
}

const { failureClasses: _, ...unlisted }: Descriptor = {
  ...lake,
  knobs: lake.knobs.map((knob) => ({ ...knob, provokes: ['rong'], harder: 'more' as const })),
};

it('a figure that is NaN in the whole training curve is a warning', () => {
  const curve = [1, 2].map((step) => ({ step, values: { reward: none, valid: step === 1 ? none : 0.5 } }));
  expect(stageWarnings(stageWith(curve), lake)).toEqual([
    'stage 1: reward is NaN in all 2 points of the training curve; the trainer may have diverged',
  ]);
  expect(stageWarnings(stageWith([]), lake)).toEqual([]);
});

it('failures of classes that no knob provokes or teaches are a warning, unless the environment lists its classes', () => {
  expect(stageWarnings(stageWith([], ['wrong', 'late']), unlisted)).toEqual([
    'stage 1: failures are of the classes late and wrong, but the knobs provoke or teach rong: no knob responds to these failures',
  ]);
  expect(stageWarnings(stageWith([], ['wrong', 'rong']), unlisted)).toEqual([]);
  expect(stageWarnings(stageWith([], ['wrong']), lake)).toEqual([]);
  expect(stageWarnings(stageWith([], []), unlisted)).toEqual([]);
});
