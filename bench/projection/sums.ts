// The summaries of a stage's evidence, computed while it is generated: reading it again, as the loop does, would take too long for millions of
// rollouts.
import type { EventData, NewEventOf } from '../../schemas/index.ts';
import type { Environment } from '../../src/lab/environments/environment.ts';
import type { RunHistory } from '../../src/producers/history/run-history.ts';
import { Behaviour } from '../../src/producers/summaries/behaviour.ts';
import { Failures } from '../../src/producers/summaries/failures.ts';
import { sheetOf } from '../../src/producers/summaries/modules.ts';
import { sheetText } from '../../src/producers/summaries/sheet.ts';
import { Stats } from '../../src/producers/summaries/stats.ts';
import { drawingOf, summaryVersion } from '../../src/producers/summaries/summarise.ts';
import type { Seen, Summary } from '../../src/producers/summaries/summary.ts';
import { forgettings } from '../../src/producers/summaries/training.ts';

type Rollout = NewEventOf<'RolloutRecorded'>;
type Failure = NewEventOf<'FailureRecorded'>;

const exemplars = 8;

export class Sums {
  readonly #environment: Environment;
  readonly #stats: Stats;
  readonly #behaviour: Behaviour;
  readonly #failures: Failures;
  readonly #counts = { probe: 0, train: 0 };

  constructor(environment: Environment) {
    const { descriptor } = environment;
    this.#environment = environment;
    this.#stats = new Stats(descriptor);
    this.#behaviour = new Behaviour(descriptor);
    this.#failures = new Failures(descriptor, { exemplars });
  }

  add({ id, data }: Rollout, failure: Failure | null): void {
    const seen = seenIn(id, data, failure);
    if (data.split === 'train') {
      this.#counts.train += 1;
      this.#stats.add(seen);
    } else {
      this.#counts.probe += 1;
      this.#behaviour.add(seen);
      this.#failures.add(seen);
    }
  }

  /** For the modules that read rollouts, in the order in which the loop records them. */
  async summaries(history: RunHistory, stage: number): Promise<readonly Summary[]> {
    const { probe, train } = this.#counts;
    const { facts } = this.#behaviour.sums();
    const alerts = forgettings(earlierBehaviour(history, stage), facts);
    return [
      this.#whole({
        module: 'stats',
        splits: ['train'],
        rollouts: train,
        facts: [...this.#stats.sums().facts],
        exemplars: [],
      }),
      this.#whole({
        module: 'behaviour',
        splits: ['probe'],
        rollouts: probe,
        facts: [...facts],
        exemplars: [],
        ...(alerts.length === 0 ? {} : { alerts }),
      }),
      this.#whole({
        module: 'failures',
        parameters: { exemplars },
        splits: ['probe'],
        rollouts: probe,
        facts: [...this.#failures.sums().facts],
        exemplars: await this.#drawn(),
      }),
    ];
  }

  async #drawn(): Promise<Summary['exemplars'][number][]> {
    const shown = this.#failures.sums().exemplars;
    const drawings = this.#failures.chosen().map((seen) => drawingOf(this.#environment, seen, async () => null));
    return (await Promise.all(drawings)).flatMap((drawing, i) => {
      const exemplar = shown[i];
      return exemplar === undefined ? [] : [{ ...exemplar, drawing }];
    });
  }

  #whole(summary: Omit<Summary, 'text' | 'version'>): Summary {
    const text = sheetText(sheetOf(this.#environment.descriptor, summary));
    return { ...summary, version: summaryVersion, text: { text } };
  }
}

function seenIn(id: string, data: EventData['RolloutRecorded'], failure: Failure | null): Seen {
  return {
    id,
    data,
    family: data.family ?? '',
    failureClass: data.success === false ? (data.failureClass ?? data.outcome) : null,
    failure,
  };
}

function earlierBehaviour({ stages }: RunHistory, stage: number): Summary['facts'][] {
  return stages
    .filter((one) => one.stage < stage)
    .flatMap(({ summaries }) => summaries.filter(({ data }) => data.module === 'behaviour'))
    .map(({ data }) => data.facts);
}
