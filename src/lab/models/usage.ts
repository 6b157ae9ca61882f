// Tokens as endpoints count them, each in its own way, brought to one: thoughts are part of the output, what was read
// before is part of the input.
import type { Usage } from './conversation.ts';
import { fieldsOf } from './fields.ts';

/** What cannot be a count is taken for absent; undefined where there is none at all. */
export function usageIn(reported: unknown): Usage | undefined {
  const usage = fieldsOf(reported);
  const read = fieldsOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const said = fieldsOf(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const input = count(usage['prompt_tokens'], usage['input_tokens']);
  const visible = count(usage['completion_tokens'], usage['output_tokens']);
  const total = count(usage['total_tokens']);
  // Some do not count thoughts as output, but nobody leaves them out of the total.
  const hidden = input === undefined || total === undefined ? 0 : Math.max(0, total - input - (visible ?? 0));
  const output = visible === undefined && hidden === 0 ? undefined : (visible ?? 0) + hidden;
  const thoughts = count(said['reasoning_tokens'], usage['reasoning_tokens']) ?? (hidden > 0 ? hidden : undefined);
  const reasoning = notAbove(thoughts, output);
  const cached = notAbove(
    count(read['cached_tokens'], usage['prompt_cache_hit_tokens'], usage['cached_tokens']),
    input,
  );
  const told = Object.entries({ input, output, reasoning, cached }).filter(([, tokens]) => tokens !== undefined);
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

/** The first that is a count. */
function count(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
}

/** A part that is larger than the whole is no count of it. */
function notAbove(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || part > whole ? undefined : part;
}
