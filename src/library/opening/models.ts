// The models of a project, with the check that each passes before its key is looked up: models of the settings, and models
// that a ledger names.
import type { ModelEntry } from '../../lab/models/entries.ts';
import { Gate } from '../consent/gate.ts';
import { requestsOfModel } from '../consent/requests.ts';
import { type Config, findConfig, modelsIn, requestsOf } from '../place/config.ts';
import type { Surroundings } from '../session.ts';

export interface ProjectModels {
  readonly entries: ReadonlyMap<string, ModelEntry>;
  /** Throws Untrusted unless this user has allowed the model's host, and sending its key there. */
  readonly permit: (entry: ModelEntry) => void;
}

/** `ledger`: what messages name as the source of models that the settings do not have. */
export function projectModels(
  surroundings: Surroundings,
  ledger = 'the ledger',
  config: Config | null = findConfig(surroundings),
): ProjectModels {
  const entries = modelsIn(config);
  const gate = new Gate(surroundings);
  const permit = (entry: ModelEntry): void => {
    const requests = requestsOfModel(entry);
    // An entry of the same name from another source is another object.
    if (config !== null && entries.get(entry.name) === entry)
      gate.requireRequests(config, requests, () => requestsOf(config, surroundings.env));
    else for (const request of requests) gate.requireRecorded(ledger, request);
  };
  return { entries, permit };
}
