// The models of a project, with the gate that each passes before its key is looked up: those that the settings name, and those
// that a ledger brings along.
import type { ModelEntry } from '../../lab/models/entries.ts';
import { Gate } from '../consent/gate.ts';
import { requestsOfModel } from '../consent/requests.ts';
import { type Config, findConfig, modelsIn, requestsOf } from '../place/config.ts';
import type { Surroundings } from '../session.ts';

export interface ProjectModels {
  readonly entries: ReadonlyMap<string, ModelEntry>;
  /** Throws Untrusted unless this user has allowed the model's host, and its key to go there. */
  readonly permit: (entry: ModelEntry) => void;
}

/** `ledger`: what is said to name the models that the settings do not name. */
export function projectModels(
  surroundings: Surroundings,
  ledger = 'the ledger',
  config: Config | null = findConfig(surroundings),
): ProjectModels {
  const entries = modelsIn(config);
  const gate = new Gate(surroundings);
  const permit = (entry: ModelEntry): void => {
    const requests = requestsOfModel(entry);
    // An entry of the same name that comes from elsewhere is another object.
    if (config !== null && entries.get(entry.name) === entry)
      gate.requireRequests(config, requests, () => requestsOf(config, surroundings.env));
    else for (const request of requests) gate.requireRecorded(ledger, request);
  };
  return { entries, permit };
}
