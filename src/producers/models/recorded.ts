// The model that a run trains, as the run records it: with all that another machine needs to ask the same, where nobody
// wrote that into its own settings. Its key is named by its environment variable, and is never recorded.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { ModelEntries } from '../../../schemas/models.ts';
import { type ModelEntry, modelEntriesOf } from '../../lab/models/entries.ts';
import type { Learner } from '../run/learner.ts';

type Component = NonNullable<EventData['RunStarted']['policy']>;

/** Of a policy that is no model, as it is. */
export function withEndpoint({ component, model }: Pick<Learner, 'component' | 'model'>): Component {
  if (model === null) return component;
  return { ...component, parameters: { ...component.parameters, entry: { ...asWritten(model.entry) } } };
}

/** The models of the project with the one that the run recorded. What the project says of it itself counts. */
export function withRecorded(
  entries: ReadonlyMap<string, ModelEntry>,
  policy: Component | undefined,
): ReadonlyMap<string, ModelEntry> {
  const entry = policy?.parameters?.['entry'];
  if (policy === undefined || entry === undefined) return entries;
  return new Map([...modelEntriesOf({ [policy.name]: entry }), ...entries]);
}

/** As it would stand in a configuration file, with nothing left out. */
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
