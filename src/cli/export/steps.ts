// What export and import of bundles print: their contents, missing checkpoints, and progress.
import type { BundleManifest } from '../../../schemas/bundle.ts';
import type { Bundled } from '../../../schemas/export-output.ts';
import { counted } from '../../base/quantity.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';

export function bundledIn(manifest: Omit<BundleManifest, 'digest'>): Bundled {
  const { run, ancestors, missing, ablations, events, streams, blobs, lost, elsewhere, root } = manifest;
  return { run, ancestors, missing, ablations, events, streams, blobs, lost, elsewhere, root };
}

const shown = 3;

/** Of one at least. */
export function elsewhereText(names: readonly string[]): string {
  const some = names.slice(0, shown).join(', ');
  const what = `${counted(names.length, 'checkpoint')} that ${names.length === 1 ? 'is' : 'are'} no file`;
  return `not in it: ${what}: ${some}${names.length > shown ? ', …' : ''}`;
}

export class StepProgress<Doing extends string> {
  readonly #context: Context;
  readonly #nouns: Readonly<Record<Doing, string>>;
  #doing: Doing | null = null;
  #shown: Progress | null = null;

  constructor(context: Context, nouns: Readonly<Record<Doing, string>>) {
    this.#context = context;
    this.#nouns = nouns;
  }

  async update({ doing, done, of }: { doing: Doing; done: number; of: number | null }): Promise<void> {
    if (doing !== this.#doing) {
      await this.end();
      this.#doing = doing;
      this.#shown = new Progress(this.#context, this.#nouns[doing]);
    }
    await this.#shown?.update({ done, of });
  }

  async end(): Promise<void> {
    await this.#shown?.end();
  }
}
