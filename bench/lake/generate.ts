// Generating the training instances of a stage and the hardest benchmark suite, on one core.
import { startConfiguration } from '../../testbed/lake/configuration.ts';
import { generate } from '../../testbed/lake/generator/generate.ts';
import type { Made } from '../../testbed/lake/generator/maker.ts';
import { suiteInstances, suiteNamed } from '../../testbed/lake/generator/suites.ts';
import { median } from '../measure.ts';
import type { Report } from '../report.ts';
import { type Latency, latencyOf, overall, duration as written } from './latency.ts';

const count = Number(process.env['ICECORE_BENCH_INSTANCES'] ?? 100_000);
const rounds = 3;
const suiteName = 'agents-5-wait-75';

interface Round extends Latency {
  readonly seconds: number;
  readonly instances: number;
}

export async function generateBench(): Promise<Report[]> {
  const { agents } = startConfiguration;
  const wanted = { split: 'train', seed: 'icecore-bench-1' } as const;
  const suite = suiteOf(suiteName);
  return [
    measure({
      what: `instances to train on, ${agents} agents`,
      count,
      target: 30,
      make: () => generate(startConfiguration, count, wanted),
    }),
    measure({
      what: `suite ${suiteName}`,
      count: suite.sizes.length * suite.perSize,
      target: 300,
      make: () => suiteInstances(suite),
    }),
  ];
}

interface Work {
  readonly what: string;
  /** The required number. */
  readonly count: number;
  /** Seconds. */
  readonly target: number;
  readonly make: () => Iterable<Made>;
}

function suiteOf(name: string): NonNullable<ReturnType<typeof suiteNamed>> {
  const suite = suiteNamed(name);
  if (suite === null) throw new Error(`no suite ${name}`);
  return suite;
}

function measure({ what, count: asked, target, make }: Work): Report {
  const done = Array.from({ length: rounds }, () => once(make()));
  const seconds = Math.round(median(done.map((round) => round.seconds)) * 100) / 100;
  const instances = Math.min(...done.map((round) => round.instances));
  const latency = overall(done);
  return {
    title: `generating, ${what}, the median of ${rounds} rounds`,
    lines: [
      { what: 'instances', value: whole(instances), target: whole(asked), met: instances === asked },
      { what: 'all of them', value: `${seconds} s`, target: `at most ${target} s`, met: seconds <= target },
      { what: 'median of one', value: written(latency.median), target: '', met: null },
      { what: '99 %', value: written(latency.p99), target: '', met: null },
      { what: 'worst', value: written(latency.worst), target: '', met: null },
    ],
    data: { what, rounds, instances, seconds, ...latency },
  };
}

function once(instances: Iterable<Made>): Round {
  const times: number[] = [];
  const started = performance.now();
  let before = started;
  for (const _ of instances) {
    const now = performance.now();
    times.push((now - before) * 1000);
    before = now;
  }
  const microseconds = Float64Array.from(times);
  return { ...latencyOf(microseconds), seconds: (performance.now() - started) / 1000, instances: times.length };
}

const whole = (value: number): string => value.toLocaleString('en');
