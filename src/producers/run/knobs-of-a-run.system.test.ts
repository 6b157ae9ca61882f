// Additional knobs that a run file enables: hyper-parameters of the trainer, and the number of agents. An engineer
// changes them like any other knob, the trainer gets the current values, and all records agree.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { registry } from '../../../testbed/testing/registry.ts';
import { allowingAll } from '../../lab/programs/testing/allowed.ts';
import { readHistory } from '../history/reading.ts';
import type { RunHistory } from '../history/run-history.ts';
import { again, recordedRun, run } from '../recompute/testing/again.ts';
import { openEnvironment } from './opening.ts';
import { type TinyPlace, tinySettings } from './testing/tiny.ts';

const places: TinyPlace[] = [];
afterAll(async () => {
  for (const place of places) await place.close();
});

/** A program that answers with the current configuration and these values of its knobs. */
function setting(values: Readonly<Record<string, number>>): string[] {
  const reasons = Object.keys(values).map((knob) => ({ knob, reason: 'to see what comes of it', cites: [] }));
  const code = `
    const { current, descriptor } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    const values = ${JSON.stringify(values)};
    for (const { name, path } of descriptor.knobs) {
      if (values[name] === undefined) continue;
      let place = current;
      for (const step of path.slice(0, -1)) place = place[step];
      place[path.at(-1)] = values[name];
    }
    console.log(JSON.stringify({ configuration: current, reasons: ${JSON.stringify(reasons)} }));`;
  return [process.execPath, '-e', code];
}

interface Made {
  readonly place: TinyPlace;
  readonly history: RunHistory;
}

async function made(change: Partial<RunSettings>): Promise<Made> {
  const place = await recordedRun(change);
  places.push(place);
  return { place, history: await readHistory(place.ledger, run) };
}

type Training = EventData['TrainingRecorded'];

function trainings({ stages }: RunHistory): readonly (Training | undefined)[] {
  return stages.map(({ training }) => training?.data);
}

/** The whole configuration of a run file with these settings. */
function configured(more: Readonly<Record<string, unknown>>): RunSettings['configuration'] {
  return { ...tinySettings().configuration, ...more };
}

describe('hyper-parameters as knobs', () => {
  const trainer = { name: 'grpo', bonus: 0.5, knobs: ['learningRate', 'bonus'] } as const;
  const start = { learningRate: 0.005, bonus: 0.5 };
  let place: TinyPlace;
  let history: RunHistory;

  beforeAll(async () => {
    ({ place, history } = await made({
      trainer: { ...trainer, knobs: [...trainer.knobs] },
      configuration: configured({ trainer: start }),
      engineer: setting({ 'trainer.learningRate': 0.01, 'trainer.bonus': 9 }),
    }));
  }, 60_000);

  it('join the knobs of the environment', () => {
    const knobs = history.started?.data.descriptor?.knobs ?? [];
    expect(knobs.find(({ name }) => name === 'trainer.learningRate')).toEqual({
      name: 'trainer.learningRate',
      path: ['trainer', 'learningRate'],
      meaning: 'the step size of an update',
      family: null,
      range: { min: 0.0005, max: 0.02 },
      step: 0.0005,
    });
    expect(knobs.map(({ name }) => name)).toEqual(expect.arrayContaining(['8.hole', 'trainer.bonus']));
    expect(history.initial?.data.configuration.knobs).toEqual(
      expect.arrayContaining([{ knob: 'trainer.learningRate', family: null, value: 0.005 }]),
    );
  });

  it('are shown to engineers, decided on, and kept within their range', () => {
    const [first, second] = history.stages;
    const { changes, clamps } = first?.adopted?.data ?? {};
    expect(changes).toMatchObject([
      { knob: 'trainer.learningRate', family: null, from: 0.005, to: 0.01, reason: 'to see what comes of it' },
      { knob: 'trainer.bonus', family: null, from: 0.5, to: 2 },
    ]);
    expect(clamps).toMatchObject([{ knob: 'trainer.bonus', proposed: 9, used: 2, rule: 'range' }]);
    expect(second?.started.data.configuration?.whole).toMatchObject({ trainer: { learningRate: 0.01, bonus: 2 } });
    const text = first?.contexts[0]?.data.text;
    expect(text && 'text' in text ? text.text : '').toMatch(/trainer\.learningRate +0\.005 +0\.0005 to 0\.02 +0\.0005/);
  });

  it('are given to the trainer, and recorded as used', async () => {
    expect(history.started?.data.trainer?.parameters).toMatchObject({ groups: 24, ...start });
    expect(trainings(history).map((one) => one?.trainer?.parameters)).toMatchObject([
      { groups: 24, learningRate: 0.005, bonus: 0.5 },
      { groups: 24, learningRate: 0.01, bonus: 2 },
    ]);
    const plain = await made({ stages: 1, trainer: { name: 'grpo', bonus: 0.5 } });
    expect(trainings(plain.history)[0]?.checkpoint?.digest).toBe(trainings(history)[0]?.checkpoint?.digest);
    const kept = await made({
      trainer: { ...trainer, knobs: [...trainer.knobs] },
      configuration: configured({ trainer: start }),
      engineer: 'fixed',
    });
    expect(trainings(kept.history)[1]?.checkpoint?.digest).not.toBe(trainings(history)[1]?.checkpoint?.digest);
  }, 60_000);

  it('are recomputed with the rest, including rewards', async () => {
    const found = await again(place.ledger);
    expect(found.findings.kept).toEqual([]);
    expect(found.counts).toMatchObject({ trainings: 2 });
  }, 60_000);

  it('of a program are declared in the run file, and are in the stage that it gets', async () => {
    const knobs = [
      { name: 'temperature', meaning: 'of sampling', range: { min: 0.5, max: 2 }, step: 0.1, start: 1 },
      { name: 'fencingTokens', meaning: 'passes', range: { min: 1, max: 4 }, step: 1, integer: true, start: 1 },
    ];
    const code = 'cp "$ICECORE_STAGE_FILE" "$ICECORE_STAGE_FILE.copy"; exec python3 examples/arithmetic/trainer.py';
    const environment = ['python3', 'examples/arithmetic/environment.py'];
    const opened = await openEnvironment(environment, { allow: allowingAll(), registry });
    await opened.close();
    const trainer = { command: ['sh', '-c', code], knobs };
    const { place, history } = await made({
      ...{ environment, policy: 'pupil', trainer, stages: 1, budget: { 'agent-steps': 200 } },
      configuration: { ...opened.start, trainer: { temperature: 1, fencingTokens: 2 } },
    });
    const file = join(place.folder, 'runs', run, 'stage-1', 'icecore-stage.json.copy');
    const stage = JSON.parse(readFileSync(file, 'utf8'));
    expect(stage).toMatchObject({ configuration: opened.start, hyperparameters: { temperature: 1, fencingTokens: 2 } });
    expect(stage.configuration).not.toHaveProperty('trainer');
    const inForce = { name: 'command', parameters: { command: trainer.command, temperature: 1, fencingTokens: 2 } };
    expect([history.started?.data.trainer, trainings(history)[0]?.trainer]).toMatchObject([inForce, inForce]);
  }, 60_000);
});

describe('the number of agents as a knob of the lake', () => {
  const environment: RunSettings['environment'] = { name: 'lake', knobs: ['agents'] };

  it('is decided on, trained on and recorded; evaluations keep the initial value', async () => {
    const { place, history } = await made({ environment, engineer: setting({ agents: 3.4 }) });
    const [first, second] = history.stages;
    expect(history.started?.data.descriptor?.knobs[0]).toMatchObject({
      name: 'agents',
      family: null,
      range: { min: 2, max: 5 },
      step: 1,
      integer: true,
    });
    expect(first?.adopted?.data).toMatchObject({
      changes: [{ knob: 'agents', from: 2, to: 3 }],
      clamps: [{ knob: 'agents', proposed: 3.4, used: 3, rule: 'step' }],
    });
    expect(second?.started.data.configuration?.knobs[0]).toEqual({ knob: 'agents', family: null, value: 3 });
    const agents = async (split: string, stage: number) => {
      const seen = new Set<unknown>();
      for await (const events of place.ledger.readAll({ types: ['RolloutRecorded'] })) {
        for (const { envelope, reading } of events) {
          if (envelope.run !== run || envelope.stage !== stage || !reading.known) continue;
          const { split: of, task: instance } = reading.data as EventData['RolloutRecorded'];
          if (of === split) seen.add(instance?.facts?.['agents']);
        }
      }
      return [...seen];
    };
    expect(await agents('train', 1)).toEqual([2]);
    expect(await agents('train', 2)).toEqual([3]);
    for (const split of ['validation', 'probe']) expect(await agents(split, 2)).toEqual([2]);
    expect((await again(place.ledger)).findings.kept).toEqual([]);
  }, 60_000);
});
