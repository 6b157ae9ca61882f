// What a copy would add to that is there already: runs, ablations and recorded answers that are not new to the ledger they
// would go into. Whoever made the original may have put anything into them.
import type { Ledger } from '../ledger.ts';
import { scopeOf } from '../redactions.ts';

/** What is there already, and how many events the copy would add to it. */
export interface Extension {
  /** `run a1b2`, or the stream of an answer or an ablation. */
  readonly of: string;
  readonly events: number;
}

export class Extensions {
  readonly #ledger: Ledger;
  /** Runs of which there is any stream; answers and ablations are one stream each and need not be remembered. */
  #runs: Promise<ReadonlySet<string>> | null = null;
  readonly #added = new Map<string, number>();

  /** `ledger` is the one that would be added to. */
  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Of a stream: how many of its events are there, and how many there would be. */
  async count(stream: string, same: number, wanted: number): Promise<void> {
    const missing = wanted - same;
    if (missing <= 0) return;
    const of = scopeOf(stream);
    if (same === 0 && !(await this.#hasRun(of))) return;
    this.#added.set(of, (this.#added.get(of) ?? 0) + missing);
  }

  found(): readonly Extension[] {
    return Array.from(this.#added, ([of, events]) => ({ of, events }));
  }

  async #hasRun(scope: string): Promise<boolean> {
    if (!scope.startsWith('run ')) return false;
    this.#runs ??= runsOf(this.#ledger);
    return (await this.#runs).has(scope);
  }
}

async function runsOf(ledger: Ledger): Promise<ReadonlySet<string>> {
  const runs = new Set<string>();
  for await (const ends of ledger.streams()) {
    for (const { stream } of ends) {
      const scope = scopeOf(stream);
      if (scope !== stream) runs.add(scope);
    }
  }
  return runs;
}
