// An engineer that asks a snapshot of the policy how sure it is of tasks that nobody judged, and reads the context for all
// that it can be told. The same code is asked with the untrained base and with the current checkpoint.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Environment } from '../../environments/environment.ts';
import type { Checkpoint, Policy } from '../../policies/policy.ts';
import type { Answer, Asked, Engineer, NoProposal, Shown } from '../engineer.ts';
import { settingsFor } from '../redesign/easing.ts';
import { evidenceIn } from '../redesign/evidence.ts';
import { reckoned, withSpread } from '../redesign/reckoned.ts';
import { redesigned, unchanged } from '../redesign/redesign.ts';
import { situationOf } from '../redesign/situation.ts';
import { Snapshot } from './asking.ts';
import { outlooks, together } from './believing.ts';
import { preferred } from './preferring.ts';
import { scaleFrom } from './scale.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

export interface IntrospectiveOptions {
  /** As which it is known: base, checkpoint, checkpoint@2. */
  readonly identity: string;
  readonly environment: Pick<Environment, 'descriptor' | 'generate'>;
  readonly policyOf: (checkpoint: Checkpoint) => Promise<Policy>;
}

export function openIntrospective({ identity, environment, policyOf }: IntrospectiveOptions): Engineer {
  return {
    identity: { name: identity, version: '2', reads },
    reads,
    propose: async (asked) => {
      asked.signal?.throwIfAborted();
      if (asked.checkpoint === null) return await answerTo(asked, null);
      const policy = await policyOf(asked.checkpoint).catch((fault: unknown) => {
        asked.signal?.throwIfAborted();
        return unavailable(fault);
      });
      if ('rejected' in policy) return policy;
      try {
        return await answerTo(asked, new Snapshot(environment, policy, asked.signal));
      } finally {
        await policy.close();
      }
    },
    close: async () => {},
  };
}

async function answerTo(asked: Asked, snapshot: Snapshot | null): Promise<Answer> {
  const { descriptor, context } = asked;
  const evidence = evidenceIn(context, reads);
  const scale = scaleFrom(descriptor, evidence);
  const own = snapshot === null ? new Map() : await outlooks(asked, snapshot, scale);
  const believed = reckoned(descriptor, evidence).map((shown) => together(shown, own.get(shown.group), scale));
  const situation = situationOf(withSpread(believed, evidence), evidence);
  if (situation === null) return { proposal: unchanged(asked) };
  const settings =
    snapshot === null || own.size === 0
      ? settingsFor(asked, situation)
      : await preferred(asked, snapshot, { situation, outlooks: own, scale });
  return { proposal: redesigned(asked, situation, settings, saysOf(context, own.size > 0)) };
}

function saysOf(context: Shown | null, wasAsked: boolean): string {
  const shown = (context?.modules ?? []).some(({ module, facts }) => reads.includes(module) && facts.length > 0);
  if (!wasAsked) return 'data where there is most to learn, by what is shown alone: no snapshot says how sure it is';
  return shown
    ? 'data where the snapshot is of two minds and training had something to teach'
    : 'data where the snapshot is of two minds; nothing was shown beside';
}

/** A snapshot that cannot be read is no reason to end a run. */
function unavailable(fault: unknown): { readonly rejected: NoProposal } {
  if (!(fault instanceof IcecoreError)) throw fault;
  const issues = [{ field: 'checkpoint', found: fault.message, allowed: 'a snapshot that can be asked' }];
  return { rejected: { reason: 'unavailable', issues, raw: null } };
}
