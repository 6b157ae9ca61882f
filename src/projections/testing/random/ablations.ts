// Random ablations of random runs, and model answers that belong to a run or to none.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import {
  randomContext,
  randomEngineer,
  randomError,
  randomForm,
  randomProposal,
  randomRejection,
} from './decisions.ts';
import { randomText } from './evidence.ts';
import { randomEvaluation, randomSummary, randomTraining } from './measures.ts';
import type { Run } from './runs.ts';
import type { World } from './world.ts';

export function writeAblation(world: World, ablation: string, runs: readonly Run[]): void {
  const { draw } = world;
  const stream = streamOf.ablation(ablation);
  const names = [...new Set([draw.name(), draw.name()])];
  if (draw.chance(85)) {
    world.add(stream, 'AblationStarted', null, {
      histories: [
        { run: draw.pick(runs).run, decisions: draw.some([1, 2], 50).concat(3), revision: 1, digest: draw.digest() },
      ],
      depth: draw.pick(['propose', 'train', 'run'] as const),
      arms: names.map((arm) => ({
        arm,
        engineer: randomEngineer(draw),
        contextForm: draw.chance(30) ? null : randomForm(draw),
        baseline: draw.chance(30),
        ...draw.optional(40, { without: ['F1'], notApplicable: [draw.name()] }),
      })),
      seeds: draw.many(2, () => draw.wide()),
      primary: null,
      level: 0.95,
      ...draw.optional(50, { name: draw.name(), margin: draw.share(), tags: [draw.name()], notes: draw.text() }),
    });
  }
  for (let left = draw.below(6); left > 0; left--) writeOfArm(world, stream, draw.pick(runs), draw.pick(names));
  if (draw.chance(50)) world.add(stream, 'AblationCompleted', null, randomEnd(world, names));
}

function writeOfArm(world: World, stream: string, { run, environment }: Run, name: string): void {
  const { draw } = world;
  const stage = 2 + draw.below(2);
  const arm = { arm: name, ...draw.optional(60, { unit: draw.pick(['1', '2']), armRun: 'goes-on' }) };
  const deciding = { environment, stage, shown: null, before: null };
  const ways = [
    () => world.add(stream, 'ArmProposed', stage, { ...arm, ...randomProposal(draw, deciding) }, { run }),
    () => world.add(stream, 'ArmRejected', stage, { ...arm, ...randomRejection(draw, deciding) }, { run }),
    () => {
      const during = draw.pick(['propose', 'propose', 'train'] as const);
      return world.add(
        stream,
        'ArmErrored',
        stage,
        { ...arm, ...randomError(draw, deciding), during, resumable: draw.chance(50) },
        { run },
      );
    },
    () => world.add(stream, 'ArmTrained', stage, { ...arm, ...randomTraining(draw, environment) }, { run }),
    () => world.add(stream, 'ArmEvaluated', stage, { ...arm, ...randomEvaluation(draw, environment) }, { run }),
    () => world.add(stream, 'ContextRecorded', stage, randomContext(draw, environment, []), { run }),
    () => {
      const of = { rollout: world.newId(), failure: world.newId() };
      return world.add(stream, 'SummaryRecorded', stage, randomSummary(draw, environment, of), { run });
    },
  ];
  draw.pick(ways)();
}

function randomEnd({ draw }: World, arms: readonly string[]): EventData['AblationCompleted'] {
  return {
    results: arms.map((arm) => ({ arm, measure: 'valid', statistic: 'mean', value: draw.score(), units: 2 })),
    contrasts: [],
    unfinished: draw.some(arms, 30).map((arm) => ({ arm, reason: draw.text() })),
    conclusions: draw.many(2, () => draw.text()),
  };
}

export function writeAnswer(world: World, place: number, runs: readonly Run[]): void {
  const { draw } = world;
  const key = place.toString(16).padStart(64, 'e');
  const run = runs.length > 0 && draw.chance(70) ? draw.pick(runs).run : null;
  world.add(
    streamOf.answer(key),
    'ModelAnswered',
    run === null ? null : draw.pick([null, 1]),
    {
      key,
      model: { name: draw.name(), ...draw.optional(50, { endpoint: draw.name(), checkpoint: draw.name() }) },
      parameters: draw.free(),
      context: draw.digest(),
      sample: draw.count(),
      answer: draw.chance(20) ? null : randomText(draw),
      finishReason: draw.name(),
      ...draw.optional(50, {
        purpose: 'proposal',
        prompt: randomText(draw),
        reasoning: randomText(draw),
        usage: draw.amounts(),
        cost: { currency: 'EUR', total: draw.share() },
        measured: { seconds: draw.pick<unknown>([2, 'odd']) },
      }),
    },
    { run },
  );
}
