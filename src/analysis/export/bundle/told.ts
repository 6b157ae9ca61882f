// What the manifest of a bundle tells, held against what was unpacked: whoever reads it is told of the runs that are there.
import type { BundleManifest } from '../../../../schemas/bundle.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { runOf } from '../../../ledger/runs.ts';
import { makeHead } from '../../../ledger/seal/head.ts';
import { BundleRefused } from './errors.ts';
import { manifestName } from './manifest.ts';
import type { Staging } from './staging.ts';

/** Throws BundleRefused. */
export async function requireTold(staging: Staging, manifest: BundleManifest): Promise<void> {
  const { ledger } = staging;
  for (const { run, name } of [manifest.run, ...manifest.ancestors]) await requireRun(ledger, run, name);
  const { events, root } = await makeHead(ledger);
  const [streams, lost] = [await streamsIn(ledger), await staging.lost()];
  if (events !== manifest.events) throw other(`${manifest.events} events`, events);
  if (streams !== manifest.streams) throw other(`${manifest.streams} streams`, streams);
  if (staging.held !== manifest.blobs) throw other(`${manifest.blobs} blobs`, staging.held);
  // A newer icecore may have known of more. Where it says that none is lost, the verification finds which is missing.
  if (manifest.lost > 0 && lost > manifest.lost)
    throw new BundleRefused(manifestName, `it counts lost blobs as ${manifest.lost}, and ${lost} are not there`);
  if (root !== manifest.root) throw other(`the root ${manifest.root}`, root);
}

async function requireRun(ledger: Ledger, run: string, name: string): Promise<void> {
  const found = await runOf(ledger, run);
  if (found === null) throw new BundleRefused(manifestName, `it names the run ${run}, of which there are no events`);
  if (found.name === name) return;
  const [told, said] = [JSON.stringify(name), JSON.stringify(found.name)];
  throw new BundleRefused(manifestName, `it calls the run ${run} ${told}, and its events call it ${said}`);
}

function other(what: string, found: number | string): BundleRefused {
  return new BundleRefused(manifestName, `it says ${what}, and the bundle has ${found}`);
}

async function streamsIn(ledger: Ledger): Promise<number> {
  let count = 0;
  for await (const ends of ledger.streams()) count += ends.length;
  return count;
}
