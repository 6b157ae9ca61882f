// An engineer that behaves like a model: it decides by rule, each answer is recorded before it is used, and some answers are not proposals.
import type { EventData } from '../../schemas/catalogue.ts';
import type { Answer, Engineer, Identity, ProposalRequest } from '../../src/lab/engineers/engineer.ts';
import { Random } from '../../src/lab/random.ts';
import { sha256 } from '../../src/ledger/identity/ids.ts';

type Answered = EventData['ModelAnswered'];

/** One in this number of answers is not a proposal. */
const nonsenseIn = 5;
const perMillion = { input: 2.5, output: 10 };

export function speaking(
  rule: Engineer,
  { name, model }: { readonly name: string; readonly model: string },
  record: (answered: Answered) => Promise<void>,
): Engineer {
  const identity: Identity = { name, version: '1', model, reads: [...rule.reads] };
  return {
    identity,
    reads: rule.reads,
    propose: async (asked): Promise<Answer> => {
      const answer = await rule.propose(asked);
      const isNonsense = new Random(asked.seed, 'nonsense').below(nonsenseIn) === 0;
      const text = isNonsense ? 'I would rather not say.' : JSON.stringify(answer);
      const answered = answeredWith(asked, { name, model }, text);
      await record(answered);
      const { key, usage = {}, cost } = answered;
      const spent = { answers: [{ key }], usage, ...(cost === undefined ? {} : { cost }) };
      if (!isNonsense && 'proposal' in answer) return { proposal: { ...answer.proposal, ...spent } };
      const issues = [{ field: 'answer', found: text.slice(0, 40), allowed: 'one JSON object' }];
      return { rejected: { reason: 'unreadable', issues, raw: { text }, ...spent } };
    },
    close: async () => {},
  };
}

function answeredWith(
  { context, seed, sample }: ProposalRequest,
  { name, model }: { name: string; model: string },
  said: string,
) {
  const prompt = context?.text ?? '';
  const usage = { input: Math.round(prompt.length / 4), output: Math.round(said.length / 4) };
  const parts = {
    input: (usage.input * perMillion.input) / 1e6,
    output: (usage.output * perMillion.output) / 1e6,
  };
  return {
    key: sha256(`${model} ${seed} ${sample}`),
    model: { name: model, endpoint: name, reported: model },
    parameters: { temperature: 0, maxTokens: 4096 },
    context: sha256(prompt),
    sample,
    purpose: 'proposal',
    prompt: { text: prompt },
    answer: { text: said },
    finishReason: 'stop',
    usage,
    cost: { currency: 'USD', total: parts.input + parts.output, parts, prices: perMillion },
    measured: { seconds: 2.5 },
  } satisfies Answered;
}
