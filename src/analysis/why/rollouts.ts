// The rollouts that stand for many, each with how it failed and what it looked like then. A drawing that was recorded is shown
// as it was. Where there is none, the environment of the run draws again, if it is one that is known here: a program that a run
// names was chosen by whoever wrote the ledger, and is not run for that.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { WhyExemplar } from '../../../schemas/why-output.ts';
import type { Drawing, Environment } from '../../lab/environments/environment.ts';
import type { Registry } from '../../lab/registry.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { Environments } from '../../producers/recompute/environments.ts';
import type { Exemplar, Seen } from '../../producers/summaries/summary.ts';
import type { Events, TextOf } from './evidence.ts';

type Rollout = EventData['RolloutRecorded'];
type Failure = EventData['FailureRecorded'];

export interface Looking {
  readonly events: Events;
  readonly textOf: TextOf;
  readonly drawer: Drawer;
}

export async function exemplarSeen(named: Named, looking: Looking): Promise<WhyExemplar> {
  const { events } = looking;
  const { evidenceId, rollout: id, failure: failureId } = named;
  const [stored, rollout] = [await events.at(id), await events.dataOf(id, 'RolloutRecorded')];
  const failure = failureId === undefined ? null : await events.dataOf(failureId, 'FailureRecorded');
  const drawing = await drawingOf(named, rollout, failure, looking);
  const [first] = failure?.failures ?? [];
  return {
    evidenceId,
    family: named.family ?? rollout?.family ?? null,
    class: named.class ?? rollout?.failureClass ?? first?.class ?? null,
    says: named.description ?? first?.message ?? null,
    rollout: await events.placed(id),
    failure: failureId === undefined ? null : await events.placed(failureId),
    stage: stored?.envelope.stage ?? null,
    split: rollout?.split ?? null,
    outcome: rollout?.outcome ?? null,
    failures: failuresIn(failure),
    ...drawing,
    note: await missingOf(stored === null, rollout, looking),
  };
}

function failuresIn(failure: Failure | null): WhyExemplar['failures'] {
  return (failure?.failures ?? []).map((one) => ({
    class: one.class,
    step: one.step ?? null,
    says: one.message ?? null,
  }));
}

async function drawingOf(
  named: Named,
  rollout: Rollout | null,
  failure: Failure | null,
  { drawer }: Looking,
): Promise<Pick<WhyExemplar, 'drawing' | 'drawn'>> {
  if (named.drawing !== undefined) return { drawing: named.drawing, drawn: 'recorded' };
  const drawing = rollout === null ? null : await drawer.draw(named, rollout, failure);
  return drawing === null ? { drawing: null, drawn: null } : { drawing, drawn: 'again' };
}

/** Null where nothing is. */
async function missingOf(
  isGone: boolean,
  rollout: Rollout | null,
  { events, textOf }: Looking,
): Promise<string | null> {
  if (isGone) return events.canFind ? 'its rollout is not in this ledger' : 'this ledger finds no event by its id';
  if (rollout === null) return 'its rollout is one that this icecore cannot read';
  const { completion } = rollout;
  const isErased = completion !== undefined && (await textOf(completion)) === null;
  return isErased ? 'what the policy answered was erased, or its blob is missing' : null;
}

/** What a context or a summary says of a rollout. */
export type Named = Pick<Exemplar, 'evidenceId' | 'rollout'> & Partial<Exemplar>;

/** Loaded where something is drawn. */
export type RegistryToDraw = () => Promise<Registry>;

export class Drawer {
  readonly #read: RunRead;
  readonly #textOf: TextOf;
  readonly #registry: RegistryToDraw | null;
  #environments: Promise<Environments> | null = null;

  constructor(read: RunRead, textOf: TextOf, registry: RegistryToDraw | null) {
    this.#read = read;
    this.#textOf = textOf;
    this.#registry = registry;
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

  /** The rollout as its environment draws it now, with pictures for pages; null if it cannot. */
  async picture(data: Rollout, failure: Failure | null): Promise<Drawing | null> {
    const { pictureOf } = await import('../../producers/summaries/summarise.ts');
    return await pictureOf(await this.#environment(), {
      id: '',
      data,
      family: data.family ?? '',
      failureClass: data.failureClass ?? null,
      failure: failure === null ? null : { id: '', data: failure },
    });
  }

  async close(): Promise<void> {
    await (await this.#environments)?.close();
  }

  async #environment(): Promise<Pick<Environment, 'draw'>> {
    const { descriptor } = this.#read;
    if (descriptor === null || this.#registry === null) return {};
    this.#environments ??= openEnvironments(this.#registry);
    const opened = await (await this.#environments).of(descriptor.environment, descriptor);
    return 'environment' in opened ? opened.environment : {};
  }
}

async function openEnvironments(registryToDraw: RegistryToDraw): Promise<Environments> {
  const { Environments } = await import('../../producers/recompute/environments.ts');
  const registry = await registryToDraw();
  return new Environments({ allow: null, registry, signal: new AbortController().signal });
}
