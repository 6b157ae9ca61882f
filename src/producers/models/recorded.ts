// The model that a run trains, as recorded with the run: with everything that another machine needs to ask it, unless
// its own settings have it. The key is recorded only by the name of its environment variable.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { ModelEntries } from '../../../schemas/models.ts';
import { type ModelEntry, modelEntriesOf } from '../../lab/models/entries.ts';
import type { Learner } from '../run/learner.ts';

type Component = NonNullable<EventData['RunStarted']['policy']>;

/** Unchanged for a policy that is not a model. */
export function withEndpoint({ component, model }: Pick<Learner, 'component' | 'model'>): Component {
  if (model === null) return component;
  return { ...component, parameters: { ...component.parameters, entry: { ...asWritten(model.entry) } } };
}

/** The models of the project and the one that the run recorded. The project's own settings take precedence. */
export function withRecorded(
  entries: ReadonlyMap<string, ModelEntry>,
  policy: Component | undefined,
): ReadonlyMap<string, ModelEntry> {
  const entry = policy?.parameters?.['entry'];
  if (policy === undefined || entry === undefined) return entries;
  const recorded = Array.from(modelEntriesOf({ [policy.name]: entry }), ([name, one]) => {
    // A ledger does not decide what is loaded into servers.
    return [name, { ...one, serve: null }] as const;
  });
  return new Map([...recorded, ...entries]);
}

/** As in a configuration file, with all defaults filled in. */
function asWritten(entry: ModelEntry): ModelEntries[string] {
  const { url, model, base, key, prices, parameters, greedy, seeds, schemas, stream, concurrency, limits } = entry;
  const { connectMs, firstByteMs, wholeMs } = limits;
  const { tokensPerMinute } = entry;
  return {
    url,
    model,
    ...(base === null ? {} : { base }),
    ...(key === null ? {} : { key }),
    ...(prices === null ? {} : { prices }),
    parameters: { ...parameters } as Details,
    greedy: { ...greedy } as Details,
    seeds,
    schemas,
    stream,
    concurrency,
    timeout: { connect: connectMs / 1000, firstByte: firstByteMs / 1000, whole: wholeMs / 1000 },
    ...(tokensPerMinute === null ? {} : { tokensPerMinute }),
  };
}

type Details = NonNullable<ModelEntries[string]['parameters']>;
