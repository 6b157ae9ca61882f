// Random runs: complete and incomplete ones, forks of existing and missing runs, and external runs with some events
// only. The events of a stage are in a sensible order, except for repeated, late and missing ones.
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../../schemas/envelope.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import {
  type Deciding,
  randomAdoption,
  randomContext,
  randomEngineer,
  randomError,
  randomForm,
  randomProposal,
  randomRejection,
  type ShownContext,
} from './decisions.ts';
import { type Environment, randomConfiguration, randomEnvironment } from './environment.ts';
import { moreEvidence, randomSeal, writeEvidence } from './evidence.ts';
import { alerts, checkpoint, randomEvaluation, randomSummary, randomTraining } from './measures.ts';
import type { Configuration, World } from './world.ts';

type Started = EventData['RunStarted'];
type Proposal = EventData['ProposalRecorded'];

export interface Run {
  readonly run: string;
  readonly environment: Environment;
}

export function writeRun(world: World, run: string, others: readonly Run[], ids: readonly string[]): Run {
  const { draw } = world;
  const parent = draw.chance(40) ? randomParent(world, others, ids) : undefined;
  const environment =
    others.find((one) => one.run === parent?.run)?.environment ??
    (others.length > 0 && draw.chance(30) ? draw.pick(others).environment : randomEnvironment(draw));
  const writer = new RunWriter(world, run, environment);
  if (draw.chance(12)) writer.evidence(1 + draw.below(2));
  else if (draw.chance(95)) writer.whole(parent);
  writer.beside();
  return { run, environment };
}

function randomParent(world: World, others: readonly Run[], ids: readonly string[]): Started['parent'] {
  const { draw } = world;
  const known = others.map(({ run }) => run);
  const run = known.length > 0 && draw.chance(90) ? draw.pick(known) : draw.pick([...ids, 'nobody']);
  const length = world.lengthOf(streamOf.run(run));
  const revision = draw.chance(50) ? Math.max(0, length - 1) : draw.below(length + 1);
  return { run, stage: 1 + draw.below(3), revision, digest: draw.digest() };
}

class RunWriter {
  readonly #world: World;
  readonly #stream: string;
  readonly #environment: Environment;
  readonly run: string;
  #configuration: Configuration | null = null;
  #shown: ShownContext | null = null;
  readonly #proposals: { readonly id: string; readonly stage: number; readonly data: Proposal }[] = [];
  readonly #rejections: string[] = [];
  #adopted: string | null = null;

  constructor(world: World, run: string, environment: Environment) {
    this.#world = world;
    this.run = run;
    this.#stream = streamOf.run(run);
    this.#environment = environment;
  }

  whole(parent: Started['parent']): void {
    const { draw } = this.#world;
    if (parent !== undefined || draw.chance(85)) this.#start(parent);
    const shared = parent?.stage ?? 0;
    if (parent !== undefined) this.#inherit(parent.run);
    if (parent !== undefined && draw.chance(60)) this.#decide(shared);
    else if (draw.chance(80)) this.#adopt(shared + 1);
    const last = shared + draw.below(4);
    for (let stage = shared + 1; stage <= last; stage++) this.#stage(stage);
    if (draw.chance(20)) this.#evaluate(null);
    this.#end(last);
    if (draw.chance(10)) this.#evaluate(draw.pick([null, Math.max(1, last)]));
  }

  /** The possible continuations of the fork. */
  #inherit(parent: string): void {
    for (const { id, type, stage, data } of this.#world.in(streamOf.run(parent)) as readonly NewEvent[]) {
      if (type === 'ProposalRecorded') this.#proposals.push({ id, stage: stage ?? 0, data: data as Proposal });
      if (type === 'ProposalRejected' || type === 'ProposalErrored') this.#rejections.push(id);
      if (type === 'ConfigAdopted') this.#configuration = (data as EventData['ConfigAdopted']).configuration;
    }
  }

  #start(parent: Started['parent']): void {
    const { draw } = this.#world;
    const { name, descriptor } = this.#environment;
    this.#world.add(this.#stream, 'RunStarted', null, {
      name: draw.pick(['same', 'same', draw.name(), this.run]),
      environment: { name },
      ...(parent === undefined ? {} : { parent }),
      ...draw.optional(parent === undefined ? 85 : 25, { descriptor }),
      ...draw.optional(60, {
        engineer: randomEngineer(draw),
        contextForm: randomForm(draw),
        policy: { name: draw.name() },
        stages: draw.count(),
        tags: draw.some(['a', "b'b", '日本'], 50),
      }),
      ...draw.optional(40, {
        trainer: { name: draw.name() },
        seed: draw.wide(),
        budget: draw.amounts(),
        options: draw.free(),
        notes: draw.text(),
        arm: { ablation: 'abl', arm: draw.name() },
        code: { version: draw.name(), ...draw.optional(50, { commit: draw.name() }) },
        source: { tool: draw.name() },
      }),
    });
  }

  #stage(stage: number): void {
    const { draw } = this.#world;
    if (draw.chance(85)) this.#startStage(stage);
    const steps = [
      ...this.#often(80, () => this.#record('TrainingRecorded', stage, randomTraining(draw, this.#environment))),
      ...this.#often(85, () => this.#evaluate(stage)),
      ...this.#often(50, () => this.#evaluate(stage)),
      ...(draw.chance(65) ? [() => this.#seal(stage)] : []),
      ...this.#often(60, () => this.#summarise(stage)),
      ...this.#often(40, () => this.#summarise(stage)),
      ...(draw.chance(75) ? [() => this.#complete(stage)] : []),
      ...(draw.chance(15) ? [() => this.#takeOver()] : []),
    ];
    for (const step of draw.chance(15) ? draw.shuffled(steps) : steps) step();
    if (draw.chance(85)) this.#decide(stage);
  }

  /** Once, sometimes twice, or not at all. */
  #often(percent: number, step: () => void): (() => void)[] {
    const { draw } = this.#world;
    if (!draw.chance(percent)) return [];
    return draw.chance(15) ? [step, step] : [step];
  }

  #record<Type extends 'TrainingRecorded' | 'SummaryRecorded' | 'EvaluationRecorded'>(
    type: Type,
    stage: number | null,
    data: EventData[Type],
  ): void {
    this.#world.add(this.#stream, type, stage, data);
  }

  #startStage(stage: number): void {
    const { draw } = this.#world;
    const said = this.#configuration ?? randomConfiguration(draw, this.#environment);
    this.#world.add(this.#stream, 'StageStarted', stage, {
      ...draw.optional(75, { configuration: draw.chance(90) ? said : randomConfiguration(draw, this.#environment) }),
      ...draw.optional(50, {
        adopted: this.#adopted,
        checkpoint: draw.chance(50) ? null : checkpoint(draw),
        seed: draw.wide(),
        budget: draw.amounts(),
        shards: draw.below(4),
      }),
    });
  }

  #evaluate(stage: number | null): void {
    this.#record('EvaluationRecorded', stage, randomEvaluation(this.#world.draw, this.#environment));
  }

  #summarise(stage: number): void {
    const of = { rollout: this.#world.newId(), failure: this.#world.newId() };
    this.#record('SummaryRecorded', stage + 1, randomSummary(this.#world.draw, this.#environment, of));
  }

  #seal(stage: number): void {
    const streams = this.evidence(stage);
    const world = this.#world;
    world.add(this.#stream, 'EvidenceSealed', stage, randomSeal(world, streams));
    for (const stream of world.draw.some(streams, 15)) moreEvidence(world, stream, stage, this.#environment);
  }

  evidence(stage: number): string[] {
    return writeEvidence(this.#world, this.run, stage, this.#environment);
  }

  #complete(stage: number): void {
    const { draw } = this.#world;
    this.#world.add(this.#stream, 'StageCompleted', stage, {
      ...draw.optional(50, {
        checkpoint: draw.chance(30) ? null : checkpoint(draw),
        alerts: alerts(draw, this.#environment),
        spent: draw.amounts(),
      }),
    });
  }

  #deciding(stage: number): Deciding {
    return { environment: this.#environment, stage, shown: this.#shown, before: this.#configuration };
  }

  #decide(stage: number): void {
    const { draw } = this.#world;
    const next = stage + 1;
    for (let shown = draw.below(3); shown > 0; shown--) this.#show(next);
    for (let asked = draw.below(4); asked > 0; asked--) {
      if (draw.chance(70)) {
        const data = randomProposal(draw, this.#deciding(next));
        this.#proposals.push({ id: this.#world.add(this.#stream, 'ProposalRecorded', next, data), stage: next, data });
      } else if (draw.chance(30)) {
        const data = randomError(draw, this.#deciding(next));
        this.#rejections.push(this.#world.add(this.#stream, 'ProposalErrored', next, data));
      } else {
        const data = randomRejection(draw, this.#deciding(next));
        this.#rejections.push(this.#world.add(this.#stream, 'ProposalRejected', next, data));
      }
    }
    for (const step of this.#often(80, () => this.#adopt(next))) step();
  }

  #show(stage: number): void {
    const { draw } = this.#world;
    const history = [{ stream: this.#stream, revision: Math.max(0, this.#world.lengthOf(this.#stream) - 1) }];
    const data = randomContext(draw, this.#environment, history);
    const event = this.#world.add(this.#stream, 'ContextRecorded', stage, data);
    this.#shown = { digest: data.digest, event, contextForm: data.contextForm };
  }

  #adopt(stage: number): void {
    const { draw } = this.#world;
    const proposals = this.#proposals.filter((one) => one.stage === stage);
    const data = randomAdoption(draw, this.#deciding(stage), proposals);
    const causes = draw.some(this.#rejections, 30).map((event) => ({ event }));
    this.#adopted = this.#world.add(this.#stream, 'ConfigAdopted', stage, data, { causes });
    this.#configuration = data.configuration;
  }

  #end(last: number): void {
    const { draw } = this.#world;
    if (draw.chance(30)) {
      const details = { reason: draw.pick(['interrupted', 'train', draw.name()]), message: draw.text() };
      this.#world.add(this.#stream, 'RunFailed', draw.pick([null, Math.max(1, last)]), { ...details, resumable: true });
    }
    if (draw.chance(15)) this.#takeOver();
    if (draw.chance(35)) this.#world.add(this.#stream, 'RunCompleted', null, { stages: last });
  }

  #takeOver(): void {
    const { draw } = this.#world;
    const taken = { fencingToken: 1 + draw.below(3), holder: draw.name(), from: draw.name() };
    this.#world.add(this.#stream, 'RunTakenOver', null, taken);
  }

  /** Events of others about it, in separate streams. */
  beside(): void {
    const { draw } = this.#world;
    const notes = streamOf.notes(this.run);
    for (let left = draw.below(3); left > 0; left--) {
      this.#world.add(notes, 'RunAnnotated', draw.pick([null, 1, 2]), {
        note: draw.text(),
        ...draw.optional(50, { event: this.#world.newId(), knob: draw.name(), tags: draw.some(['a', 'c', '🦆'], 50) }),
      });
    }
    if (draw.chance(15)) {
      const erased = { event: this.#world.newId(), stream: this.#stream, field: draw.name(), blob: draw.digest() };
      this.#world.add(notes, 'Redacted', draw.pick([null, 1]), { reason: draw.text(), erased: [erased] });
    }
    for (let left = draw.chance(50) ? draw.below(4) : 0; left > 0; left--) {
      const claim = { fencingToken: 1 + draw.below(2), holder: draw.name(), leaseSeconds: draw.pick([0, 1e6]) };
      this.#world.add(streamOf.work(this.run), 'RunClaimed', null, claim);
    }
  }
}
