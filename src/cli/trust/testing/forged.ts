// Proofs made by hand: of an event in an attempt of three, whose seal is the only event of the ledger. Every part can be
// made to say something else, and all hashes are made to fit it: only what the parts say of each other can be wrong.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { type Inclusion, InclusionProof } from '../../../ledger/seal/inclusion.ts';

type Members = Readonly<Record<string, unknown>>;

interface Changes {
  readonly event?: Members;
  readonly seal?: Members;
  readonly attempt?: Members;
  readonly way?: Partial<Inclusion>;
}

const place = { run: 'a', stage: 1 };
const stream = 'evidence-a-1-0-0';

export function forged({ event = {}, seal = {}, attempt = {}, way = {} }: Changes): { proof: Members; head: Members } {
  const fact = eventOf({ ...place, stream, revision: 1, type: 'RolloutRecorded', ...event });
  const sealed = inclusion([sha256('before'), fact.digest, sha256('behind')], 1);
  const attempts = [{ stream: fact.stream, count: sealed.size, root: sealed.root, ...attempt }];
  const sealing = { ...place, stream: 'run-a', revision: 0, type: 'EvidenceSealed', version: 1, data: { attempts } };
  const by = eventOf({ ...sealing, ...seal });
  const ledger = inclusion([by.digest], 0);
  return {
    proof: { event: fact, seal: { by, inclusion: { ...sealed, ...way } }, ledger: { inclusion: ledger } },
    head: { root: ledger.root, events: 1 },
  };
}

function eventOf(own: Members & { readonly stream: string; readonly revision: number }) {
  const body = canonicalJson(own);
  return { stream: own.stream, revision: own.revision, digest: sha256(body), body };
}

function inclusion(digests: readonly string[], index: number): Inclusion {
  const proof = new InclusionProof(index, digests.length);
  for (const digest of digests) proof.add(digest);
  return proof.proof();
}
