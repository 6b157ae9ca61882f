// The search for the least sum of arrival times. Its questions are arrival times, one an agent: can all arrive within
// them? The first question gives everybody the time it would need alone; the cheapest open one is answered next, so the
// first yes is an optimum. A no leads only to questions that its reason does not answer too.
import { Answers } from './answers.ts';
import { type Arrivals, sum } from './question.ts';
import type { Reservations } from './reservations.ts';
import { type Terrain, unreachable } from './terrain.ts';

export type Found =
  | { readonly answer: 'found'; readonly cost: number }
  /** There is no plan, or none within the most it may cost; where a few agents are the reason, `because` names them. */
  | { readonly answer: 'none'; readonly because: readonly number[] }
  /** The work allowed is done. Every plan costs at least `bound`. */
  | { readonly answer: 'spent'; readonly bound: number };

export class Search {
  readonly #terrain: Terrain;
  readonly #answers: Answers;
  readonly #mayWait: boolean;
  /** Open questions by cost beyond the first one's; the last one added is answered first. */
  #open: Arrivals[][] = [];
  readonly #asked = new Set<string>();
  #alone: Arrivals = [];
  #least = 0;
  #most = 0;
  #level = 0;

  constructor(terrain: Terrain, mayWait: boolean) {
    this.#terrain = terrain;
    this.#mayWait = mayWait;
    this.#answers = new Answers(terrain, mayWait);
  }

  /** The ways of all agents, once they are found. */
  get ways(): Reservations {
    return this.#answers.ways;
  }

  /** What was done since `begin`. */
  get work(): number {
    return this.#answers.work;
  }

  /** For the instance that the terrain holds. Plans that cost more than `most` are of no interest. */
  begin(most: number): void {
    this.#alone = this.#terrain.starts.map((_, agent) => this.#terrain.distance(agent));
    this.#least = sum(this.#alone);
    this.#most = most;
    this.#level = 0;
    this.#open = this.#alone.includes(unreachable) ? [] : [[this.#alone]];
    this.#asked.clear();
    this.#answers.begin(most - this.#least);
  }

  /** Goes on until it is done, or until `effort` more work is. */
  go(effort: number): Found {
    const limit = this.#answers.work + effort;
    for (; this.#level < this.#open.length && this.#least + this.#level <= this.#most; this.#level++) {
      const questions = this.#open[this.#level];
      for (let question = questions?.pop(); question !== undefined; question = questions?.pop()) {
        const answer = this.#answers.to(question, limit);
        if (answer === 'yes') return { answer: 'found', cost: this.#least + this.#level };
        if (answer === 'spent') {
          questions?.push(question);
          return { answer: 'spent', bound: this.#least + this.#level };
        }
        for (const later of answer) this.#ask(later);
      }
    }
    return { answer: 'none', because: this.#reason() };
  }

  #reason(): readonly number[] {
    const alone = this.#alone.indexOf(unreachable);
    return alone >= 0 ? [alone] : (this.#answers.hopeless() ?? [...this.#alone.keys()]);
  }

  #ask(arrivals: Arrivals): void {
    const question = this.#mayWait ? arrivals : this.#even(arrivals);
    const key = question.join();
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    const level = sum(question) - this.#least;
    if (this.#least + level > this.#most) return;
    const questions = this.#open[level];
    if (questions === undefined) this.#open[level] = [question];
    else questions.push(question);
  }

  /** Who never waits arrives an even number of steps later than it would alone. */
  #even(arrivals: Arrivals): Arrivals {
    return arrivals.map((arrival, agent) => arrival + ((arrival - (this.#alone[agent] as number)) & 1));
  }
}
