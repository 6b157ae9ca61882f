// The contract that every engineer must satisfy. A fixture provides how to open the engineer, what it reads, and the
// environment that it redesigns.
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeIssues } from '../../../../schemas/errors.ts';
import type { Environment } from '../../environments/environment.ts';
import { decisionOn } from '../decision.ts';
import type { Answer, Engineer, Fact, Proposal, ProposalRequest, ShownContext } from '../engineer.ts';
import { readAnswer } from '../plugin-answer.ts';

export interface Fixture {
  /** A new engineer that shares nothing with earlier ones. */
  open(): Promise<Pick<Engineer, 'propose' | 'close'>>;
  readonly reads: readonly string[];
  environment(): Promise<Environment>;
  /** Additional contexts, beyond those that the suite makes for the environment. */
  readonly contexts?: readonly ShownContext[];
}

export function engineerContract(name: string, fixture: Fixture): void {
  describe(`the engineer contract: ${name}`, () => {
    const engineer = async (): Promise<Pick<Engineer, 'propose' | 'close'>> => {
      const opened = await fixture.open();
      onTestFinished(() => opened.close());
      return opened;
    };
    const bench = async () => {
      const environment = await fixture.environment();
      onTestFinished(() => environment.close());
      return { environment, requests: requestsFor(environment, fixture) };
    };

    it('proposes a usable configuration or returns no proposal', async () => {
      const { environment, requests } = await bench();
      for (const request of requests) {
        const answer = await (await engineer()).propose(request);
        if (proposalIn(answer) === null) continue;
        const proposal = usableIn(answer, request);
        const made = decisionOn(request.descriptor, request.current, proposal, (whole) => environment.check(whole));
        expect(made).toHaveProperty('decision');
      }
    });

    it('proposes the same for the same seed, in every instance and at any time', async () => {
      const { requests } = await bench();
      for (const request of requests) {
        const one = await engineer();
        const [first, again] = [await one.propose(request), await one.propose(request)];
        expect(lasting(again)).toEqual(lasting(first));
        expect(lasting(await (await engineer()).propose(request))).toEqual(lasting(first));
      }
    });

    it('cites nothing that it was not shown', async () => {
      const { requests } = await bench();
      for (const request of requests) {
        const proposal = proposalIn(await (await engineer()).propose(request));
        const shown = request.context?.evidenceIds ?? new Set();
        const cited = [...(proposal?.reasons ?? []), ...(proposal?.kept ?? [])].flatMap(({ cites }) => cites ?? []);
        expect(cited.filter((evidenceId) => !shown.has(evidenceId))).toEqual([]);
      }
    });

    it('does not modify its input', async () => {
      const { requests } = await bench();
      for (const request of requests) {
        const before = structuredClone(request);
        await (await engineer()).propose(request);
        expect(request).toEqual(before);
      }
    });

    it('stops when it is aborted', async () => {
      const { requests } = await bench();
      const [request] = requests;
      const one = await engineer();
      const stopped = AbortSignal.abort(new Error('stopped by a person'));
      await expect(one.propose({ ...(request as ProposalRequest), signal: stopped })).rejects.toThrow(
        'stopped by a person',
      );
      const stop = new AbortController();
      const proposing = one.propose({ ...(request as ProposalRequest), signal: stop.signal });
      stop.abort(new Error('stopped by a person'));
      await proposing.catch((fault: unknown) => expect(fault).toEqual(new Error('stopped by a person')));
    });
  });
}

/** Null if there is no proposal. */
function proposalIn(answer: Answer): Proposal | null {
  return 'proposal' in answer ? answer.proposal : null;
}

/** Fails with the issues of a proposal that a run would reject. */
function usableIn(answer: Answer, request: ProposalRequest): Proposal {
  const read = readAnswer(answer, request);
  return 'proposal' in read ? read.proposal : expect.fail(describeIssues(read.rejected.issues, 'the proposal'));
}

/** Timing is not part of the answer. */
function lasting(answer: Answer): object {
  const { measured: _, ...rest } = 'proposal' in answer ? answer.proposal : answer.rejected;
  return rest;
}

/** After the first stage and later; without a context, with an empty context, and with figures of every family. */
function requestsFor(
  { descriptor, start }: Environment,
  { reads, contexts = [] }: Fixture,
): readonly ProposalRequest[] {
  const shown =
    reads.length === 0 ? [null] : [null, contextOf(reads, []), contextOf(reads, factsOf(descriptor)), ...contexts];
  return shown.flatMap((context) =>
    [1, 3].map((stage) => ({
      ...{ descriptor, stage, stages: 5, current: start, first: start, context, checkpoint: null },
      ...{ sample: 0, seed: `contract-${stage}` },
    })),
  );
}

function factsOf({ families }: Environment['descriptor']): readonly Fact[] {
  return families.map(({ family }, i) => {
    const value = (i + 1) / (families.length + 1);
    return { evidenceId: `B${i + 1}.valid`, family, measure: 'valid', value, count: Math.round(100 * value), of: 100 };
  });
}

/** With figures of every module that it reads, each with its own evidence id. */
function contextOf(reads: readonly string[], facts: readonly Fact[]): ShownContext {
  const modules = reads.map((module) => ({
    module,
    facts: facts.map((fact) => ({ ...fact, evidenceId: `${module}-${fact.evidenceId}` })),
    exemplars: [],
  }));
  const ids = modules.flatMap((one) => one.facts.map(({ evidenceId }) => evidenceId));
  const lines = modules.flatMap((one) => one.facts.map(({ evidenceId, value }) => `[${evidenceId}] ${String(value)}`));
  return {
    ...{ digest: '0'.repeat(64), text: lines.join('\n'), form: { modules: [...reads] }, modules },
    evidenceIds: new Set(ids),
  };
}
