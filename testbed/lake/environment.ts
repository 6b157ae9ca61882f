// The lake as an environment: everything above the lab uses it through this port.
import {
  abortable,
  type Drawing,
  type Environment,
  EnvironmentClosed,
  type GenerateRequest,
  type Judged,
  type ProbeRequest,
  type Suite,
  type Task,
  type Tasks,
  type Try,
  UnknownSuite,
} from '../../src/library/plugins/tools.ts';
import { checkedLake, checkLake, descriptor, descriptorWith, startConfiguration } from './configuration.ts';
import { lakeSvg } from './drawing/svg.ts';
import { lakeFrames } from './drawing/svg-frames.ts';
import { replaySvg } from './drawing/svg-replay.ts';
import { lakeLines, trailLines } from './drawing/terminal.ts';
import type { Scene } from './drawing/walk.ts';
import { generate, type Instances } from './generator/generate.ts';
import type { Made } from './generator/maker.ts';
import { probe, suiteInstances, suiteNamed, suites } from './generator/suites.ts';
import { judge } from './judge.ts';
import { planOf, Unreadable } from './plan.ts';
import { Solver } from './solver/solver.ts';
import { promptOf, spokenPlan } from './spoken-plan.ts';
import { lakeOf, shortageOf, taskInCell, taskOf, verdictOn } from './tasks.ts';

interface LakeOptions {
  /** Settings that are knobs, too, in addition to the knobs of the sizes. */
  readonly knobs?: readonly string[];
}

export function openLake({ knobs = [] }: LakeOptions = {}): Environment {
  const described = descriptorWith(knobs);
  const closing = new AbortController();
  const open = (): void => {
    if (closing.signal.aborted) throw closing.signal.reason;
  };
  const solver = new Solver();

  async function* tasks(instances: Instances, signal: AbortSignal | undefined, toTask: ToTask): Tasks {
    for (let index = 0; ; index++) {
      signal?.throwIfAborted();
      open();
      const next = instances.next();
      if (next.done === true) return next.value.map(shortageOf);
      yield toTask(next.value, index);
    }
  }

  return {
    descriptor: described,
    start: { ...startConfiguration },
    suites: suites.map(suiteOf),
    check: (configuration) => checkLake(configuration, described),

    async *generate({ configuration, split, count, seed, signal }: GenerateRequest): Tasks {
      const instances = generate(checkedLake(configuration, described), count, { split, seed });
      return yield* tasks(instances, signal, (made, index) => taskOf(made, split, index));
    },

    async *probe({ configuration, split, perCell, seed, signal }: ProbeRequest): Tasks {
      const { agents } = checkedLake(configuration, described);
      const instances = probe(agents, perCell, { split, seed });
      return yield* tasks(instances, signal, (made, index) => taskInCell(made, split, index));
    },

    async *suite(name: string, signal?: AbortSignal): Tasks {
      const suite = suiteNamed(name);
      if (suite === null)
        throw new UnknownSuite(
          descriptor.environment,
          name,
          suites.map((known) => known.name),
        );
      const shortages = yield* tasks(suiteInstances(suite), signal, (made, index) => taskInCell(made, name, index));
      // A suite may use other numbers of holes: only missing instances count as missing.
      return shortages.filter(({ asked, achieved, standIns = 0 }) => achieved + standIns < asked);
    },

    async *judge(tries: Iterable<Try> | AsyncIterable<Try>, signal?: AbortSignal): AsyncGenerator<Judged, void> {
      open();
      for await (const tried of abortable(tries, signal, closing.signal)) {
        open();
        yield verdictOn({ ...tried, answer: spokenPlan(tried.answer) }, solver);
      }
    },

    draw: async (task, answer) => {
      open();
      return drawingOf(task, spokenPlan(answer));
    },

    solve: async (task, signal) => {
      signal?.throwIfAborted();
      open();
      const solution = solver.solve(lakeOf(task), effortForOne);
      return solution.solvable === true ? solution.plan : null;
    },

    prompt: async (task) => {
      open();
      return promptOf(lakeOf(task));
    },

    close: async () => {
      closing.abort(new EnvironmentClosed(descriptor.environment));
    },
  };
}

/** Less than a second on a current machine: the search cannot be interrupted. */
const effortForOne = 5_000_000;

type ToTask = (made: Made, index: number) => Task;

function suiteOf({ name, agents, wait, sizes, perSize, seed }: (typeof suites)[number]): Suite {
  return {
    name,
    meaning: `${agents} agents; in ${100 * wait} % of the instances an agent has to wait`,
    tasks: sizes.length * perSize,
    parameters: { agents, wait, sizes, perSize, seed },
  };
}

// A task of the lake as a drawing: in letters for terminals and models, as SVG for pages.

const page = { colour: false, width: 100 };

/** With an answer, its effect on the lake, or why it is not a plan; otherwise the lake alone. */
export function drawingOf(task: Task, answer: unknown): Drawing {
  const instance = lakeOf(task);
  const plan = answer === undefined ? null : planOf(answer, instance);
  if (plan === null) return drawing({ instance }, lakeLines({ instance }, page));
  if (plan instanceof Unreadable) {
    return drawing({ instance }, [...lakeLines({ instance }, page), `The answer is not a plan: ${plan.words}.`]);
  }
  const scene = { instance, plan, failures: judge(instance, answer).failures };
  return drawing(scene, trailLines(scene, page));
}

function drawing(scene: Scene, lines: readonly string[]): Drawing {
  const text = lines.map((line) => line.trimEnd()).join('\n');
  const moves = scene.plan === undefined ? {} : { animation: replaySvg(scene), frames: lakeFrames(scene) };
  return { text, svg: lakeSvg(scene), ...moves };
}
