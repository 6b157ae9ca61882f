// Snapshots of policies that engineers ask, kept open between one arm and the next: many arms ask the same one, and opening
// it takes longer than asking it. Only a few that nobody asks stay open.
import type { Checkpoint, Policy } from '../../lab/policies/policy.ts';

interface Kept {
  readonly policy: Promise<Policy>;
  asking: number;
}

type Open = (checkpoint: Checkpoint | null) => Promise<Policy>;

const mostIdle = 4;

export class Snapshots {
  /** The one that was asked last stands last. */
  readonly #kept = new Map<string, Kept>();

  /** Opens as `open` does; closing gives back what may be asked again. `of`: whose snapshots they are. */
  of(of: string, open: Open): Open {
    return async (checkpoint) => {
      const key = JSON.stringify([of, checkpoint?.reference ?? null]);
      const kept = this.#kept.get(key) ?? { policy: open(checkpoint), asking: 0 };
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      kept.asking += 1;
      try {
        return givenBack(await kept.policy, async () => {
          kept.asking -= 1;
          await this.#trim();
        });
      } catch (fault) {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
        throw fault;
      }
    };
  }

  async close(): Promise<void> {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.allSettled(all.map(async ({ policy }) => await (await policy).close()));
  }

  async #trim(): Promise<void> {
    const idle = [...this.#kept].filter(([, { asking }]) => asking === 0);
    const over = idle.slice(0, -mostIdle);
    // Nobody is given one that is about to be closed.
    for (const [key] of over) this.#kept.delete(key);
    await Promise.all(over.map(async ([, { policy }]) => await (await policy).close()));
  }
}

/** The policy, of which `close` only says that whoever asked it is done. */
function givenBack(policy: Policy, close: () => Promise<void>): Policy {
  const { component, checkpoint, canBeGreedy = true } = policy;
  return { component, checkpoint, canBeGreedy, plan: (request) => policy.plan(request), close };
}
