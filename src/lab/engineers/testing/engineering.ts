// A model engineer with a test endpoint, and the result of a question to it.
import { expect } from 'vitest';
import type { Message } from '../../models/conversation.ts';
import type { ModelSettings } from '../../models/model.ts';
import type { Endpoint, Seen } from '../../models/testing/endpoint.ts';
import { modelAt } from '../../models/testing/models.ts';
import type { Engineer, NoProposal, Proposal, ProposalRequest } from '../engineer.ts';
import { type LanguageEngineerSettings, openLanguageEngineer } from '../language.ts';
import { askedOf, everyModule } from './questions.ts';

interface EngineerRequest extends Partial<Omit<LanguageEngineerSettings, 'model'>> {
  readonly entry?: object;
  readonly model?: Partial<ModelSettings>;
}

export function engineerAt({ url }: Endpoint, { entry = {}, model = {}, ...settings }: EngineerRequest = {}): Engineer {
  const usual = { name: 'gpt', reads: everyModule, check: () => [], snapshot: () => null };
  return openLanguageEngineer({ ...usual, ...settings, model: modelAt(url, entry, model) });
}

/** A correct answer about coins. */
export const good = {
  rationale: 'larger piles now',
  configuration: { 'small.share': 0.3, 'large.share': 0.7, kinds: 4 },
  reasons: [{ knob: 'large.share', cites: ['Blarge.valid'], reason: 'hardly solved' }],
  kept: [{ knob: 'kinds', cites: ['Bsmall.valid'], reason: 'enough of them' }],
  predictions: [
    { family: 'small', value: 0.9 },
    { family: 'large', value: 0.2 },
  ],
};

/** The same as a configuration of its environment. */
export const goodConfiguration = {
  piles: { small: { share: 0.3 }, large: { share: 0.7 } },
  kinds: 4,
  table: 'green',
};

export const goodAnswer = JSON.stringify(good);

export async function proposalOf(engineer: Engineer, change: Partial<ProposalRequest> = {}): Promise<Proposal> {
  const answer = await engineer.propose(askedOf(change));
  return 'proposal' in answer ? answer.proposal : expect.fail(JSON.stringify(answer.rejected));
}

export async function rejectionOf(engineer: Engineer, change: Partial<ProposalRequest> = {}): Promise<NoProposal> {
  const answer = await engineer.propose(askedOf(change));
  return 'rejected' in answer ? answer.rejected : expect.fail(JSON.stringify(answer.proposal));
}

export function messagesIn({ body }: Seen): readonly Message[] {
  return body['messages'] as readonly Message[];
}
