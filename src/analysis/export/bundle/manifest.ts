// The manifest of a bundle and the list of its members, as they are written and as they are read back.
import {
  type BundleManifest,
  type BundleMember,
  bundleFormat,
  bundleManifest,
  bundleMember,
} from '../../../../schemas/bundle.ts';
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { parseJson } from '../../../../schemas/json-text.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { runOf } from '../../../ledger/runs.ts';
import { makeHead } from '../../../ledger/seal/head.ts';
import { BundleRefused, NewerBundle, NoBundle } from './errors.ts';
import type { Staging } from './staging.ts';

export const manifestName = 'manifest.json';
export const listName = 'members.ndjson';

/** A manifest is short: what grows with the run is in members. */
export const longestManifest = 1024 * 1024;

/** A line of the list, its end included: a name, a size and a SHA-256 are far shorter. */
export const longestLine = 256;

export function manifestText(manifest: Omit<BundleManifest, 'digest'>): string {
  return `${JSON.stringify({ ...manifest, digest: digestOf(manifest) }, null, 2)}\n`;
}

function digestOf(manifest: Omit<BundleManifest, 'digest'>): string {
  return sha256(canonicalJson(manifest));
}

/** Throws NoBundle, NewerBundle, BundleRefused. */
export function readManifest(text: string): BundleManifest {
  const value = parsed(text);
  const format = (value as { readonly format?: unknown } | null)?.format;
  if (typeof format !== 'string' || !format.startsWith('icecore-bundle/'))
    throw new NoBundle('its first member is another');
  if (format !== bundleFormat) throw new NewerBundle(format, bundleFormat);
  const read = bundleManifest.safeParse(value);
  if (!read.success) throw new BundleRefused(manifestName, firstIssue(read.error.issues));
  const { digest, ...rest } = read.data;
  if (digestOf(rest) !== digest)
    throw new BundleRefused(manifestName, 'it was altered: it does not have its own digest');
  return read.data;
}

export function memberLine({ name, bytes, sha256 }: BundleMember): string {
  return `${JSON.stringify({ name, bytes, sha256 })}\n`;
}

/** Throws BundleRefused where it is none, or does not come after the one before it: then none comes twice. */
export function readMember(line: string, before: string): BundleMember {
  const value = parsed(line);
  if (value === null) throw new BundleRefused(listName, `${JSON.stringify(line.slice(0, 40))} names no member`);
  const read = bundleMember.safeParse(value);
  if (!read.success) throw new BundleRefused(listName, firstIssue(read.error.issues));
  const { name } = read.data;
  if (name > before) return read.data;
  throw new BundleRefused(listName, name === before ? `${name} is named twice` : `${name} comes after ${before}`);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function firstIssue(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  const [first] = issues;
  if (first === undefined) return 'it cannot be read';
  return `${first.path.map(String).join('.')}: ${first.message}`.replace(/^: /, '');
}

/** Compares the manifest with the unpacked runs. Throws BundleRefused. */
export async function requireManifest(staging: Staging, manifest: BundleManifest): Promise<void> {
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
  const [claimed, actual] = [JSON.stringify(name), JSON.stringify(found.name)];
  throw new BundleRefused(manifestName, `it calls the run ${run} ${claimed}, but its events call it ${actual}`);
}

function other(what: string, found: number | string): BundleRefused {
  return new BundleRefused(manifestName, `it says ${what}, and the bundle has ${found}`);
}

async function streamsIn(ledger: Ledger): Promise<number> {
  let count = 0;
  for await (const ends of ledger.streams()) count += ends.length;
  return count;
}
