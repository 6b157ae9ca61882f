// What export and import alike tell of a bundle, out of its manifest.
import type { BundleManifest } from '../../../schemas/bundle.ts';
import type { Bundled } from '../../../schemas/export-output.ts';

export function bundledIn(manifest: Omit<BundleManifest, 'digest'>): Bundled {
  const { run, ancestors, missing, ablations, events, streams, blobs, lost, elsewhere, root } = manifest;
  return { run, ancestors, missing, ablations, events, streams, blobs, lost, elsewhere, root };
}
