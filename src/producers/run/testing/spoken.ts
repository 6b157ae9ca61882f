// A tiny run whose policy is a slow model behind a test endpoint: its answers follow from the questions.
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { type ModelEntry, modelEntriesOf } from '../../../lab/models/entries.ts';
import { Endpoint } from '../../../lab/models/testing/endpoint.ts';
import { served, wellBehaved } from '../../../lab/models/testing/well-behaved.ts';
import { mind } from '../../../lab/policies/testing/speaking.ts';
import { tinySettings } from './tiny.ts';

/** The model that the run trains, as named in its project. */
const name = 'pupil';

export function spokenSettings(change: Partial<RunSettings> = {}): RunSettings {
  return tinySettings({
    policy: name,
    trainer: ['sh', 'examples/trainers/shell-trainer.sh'],
    budget: { 'agent-steps': 300 },
    ...change,
  });
}

export class SlowModel {
  readonly endpoint: Endpoint;
  /** How long each answer takes from now on, in milliseconds. */
  latency: number;
  #isHeld = false;
  #held: (() => void)[] = [];

  private constructor(endpoint: Endpoint, latency: number) {
    this.endpoint = endpoint;
    this.latency = latency;
  }

  /** Every answer takes this number of milliseconds. */
  static async start(latency = 0): Promise<SlowModel> {
    const slow = new SlowModel(await Endpoint.start(), latency);
    const answer = wellBehaved(mind);
    slow.endpoint.script((index, seen) => {
      const asServed = { ...seen, body: { ...seen.body, model: served } };
      return (response) => {
        const reply = (): void => answer(index, asServed)(response, seen);
        if (slow.#isHeld) slow.#held.push(reply);
        else setTimeout(reply, slow.latency);
      };
    });
    return slow;
  }

  /** As in its project's settings. */
  get models(): object {
    const entry = { model: `${served}-{checkpoint}`, base: served, key: 'THE_KEY', seeds: true, concurrency: 4 };
    return { [name]: { url: this.endpoint.url, ...entry } };
  }

  get entries(): ReadonlyMap<string, ModelEntry> {
    return modelEntriesOf(this.models);
  }

  /** Stops answering. Forgets earlier questions. */
  hold(): void {
    this.#isHeld = true;
    this.endpoint.seen.length = 0;
  }

  /** Answers the questions that have arrived meanwhile. */
  release(): void {
    this.#isHeld = false;
    for (const reply of this.#held.splice(0)) reply();
  }
}
