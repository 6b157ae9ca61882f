// The progress of long work: on a terminal one line that is overwritten, elsewhere a plain line now and then.
import { count, duration, size } from '../../base/quantity.ts';
import type { Sink } from '../../base/sink.ts';
import type { CommandProgress, Step } from '../../library/plugins/command.ts';

export interface ProgressPlace {
  readonly io: { readonly stderr: Sink };
  readonly flags: { readonly quiet: boolean };
}

const intervals = { terminal: 100, plain: 10_000 };

export class Progress implements CommandProgress {
  readonly #context: ProgressPlace;
  readonly #noun: string;
  readonly #now: () => number;
  readonly #started: number;
  #shownAt: number;
  #isOpen = false;

  constructor(context: ProgressPlace, noun: string, now: () => number = () => performance.now()) {
    this.#context = context;
    this.#noun = noun;
    this.#now = now;
    this.#started = now();
    this.#shownAt = this.#started;
  }

  /** `left`: the seconds that are left, null if unknown; by default from the rate since the start. */
  async update(step: Step, left?: number | null): Promise<void> {
    const { flags, io } = this.#context;
    const { isTTY } = io.stderr;
    const now = this.#now();
    if (flags.quiet || now - this.#shownAt < (isTTY ? intervals.terminal : intervals.plain)) return;
    this.#shownAt = now;
    this.#isOpen = isTTY;
    const text = describe(step, this.#noun, (now - this.#started) / 1000, left);
    await io.stderr.write(isTTY ? `\r${text.slice(0, io.stderr.columns - 1)}\u001b[K` : `${text}\n`);
  }

  /** Erases the line, so that the next message starts at the left. */
  async end(): Promise<void> {
    if (this.#isOpen) await this.#context.io.stderr.write('\r\u001b[K');
    this.#isOpen = false;
  }
}

function describe({ done, of, bytes, totalBytes }: Step, noun: string, seconds: number, left?: number | null): string {
  const rate = seconds > 0 ? Math.round(done / seconds) : 0;
  const pace = rate === 0 ? '' : `, ${count(rate)}/s`;
  const so = `${count(done)} ${done === 1 ? singular(noun) : noun}${pace}`;
  const partOf = (part: number, whole: number, total: string): string => {
    const share = Math.min(1, part / whole);
    const remaining = left === undefined ? (seconds / share) * (1 - share) : left;
    const isKnown = remaining !== null && remaining >= 1;
    return `${Math.floor(share * 100)} % of ${total}${isKnown ? `, about ${duration(remaining)} left` : ''}`;
  };
  if (totalBytes && bytes) return `${so}, ${partOf(bytes, totalBytes, size(totalBytes))}`;
  if (of && done > 0) return `${so}, ${partOf(done, of, count(of))}`;
  return bytes === undefined ? so : `${so}, ${size(bytes)} read`;
}

/** `events of evidence` becomes `event of evidence`. */
function singular(noun: string): string {
  return noun.replace(/^(\w+)s\b/, '$1');
}
