// Draws a rollout again of which no drawing was recorded, by the environment of its run. A program that a run names was
// chosen by whoever wrote the ledger: it is not run for that. What cannot be drawn is shown as it was recorded.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Environments } from '../../producers/recompute/environments.ts';
import type { Exemplar, Seen } from '../../producers/summaries/summary.ts';
import type { RunRead } from '../history/run-read.ts';
import type { TextOf } from './told.ts';

/** What a context or a summary tells of a rollout. */
export type Named = Pick<Exemplar, 'evidenceId' | 'rollout'> & Partial<Exemplar>;

export class Drawer {
  readonly #read: RunRead;
  readonly #textOf: TextOf;
  #environments: Promise<Environments> | null = null;

  constructor(read: RunRead, textOf: TextOf) {
    this.#read = read;
    this.#textOf = textOf;
  }

  /** Null where there is nothing to be shown of it. */
  async draw(
    { family, class: failureClass, failure: id }: Named,
    data: EventData['RolloutRecorded'],
    failure: EventData['FailureRecorded'] | null,
  ): Promise<string | null> {
    const { drawingOf } = await import('../../producers/summaries/summarise.ts');
    const seen: Seen = {
      id: '',
      data,
      family: family ?? data.family ?? '',
      failureClass: failureClass ?? null,
      failure: failure === null || id === undefined ? null : { id, data: failure },
    };
    const drawing = await drawingOf(await this.#environment(), seen, this.#textOf);
    return drawing === '' ? null : drawing;
  }

  async close(): Promise<void> {
    await (await this.#environments)?.close();
  }

  async #environment(): Promise<Pick<Environment, 'draw'>> {
    const { descriptor } = this.#read;
    if (descriptor === null) return {};
    this.#environments ??= openEnvironments();
    const opened = await (await this.#environments).of(descriptor.environment, descriptor);
    return 'environment' in opened ? opened.environment : {};
  }
}

async function openEnvironments(): Promise<Environments> {
  const { Environments } = await import('../../producers/recompute/environments.ts');
  return new Environments({ allow: null, signal: new AbortController().signal });
}
