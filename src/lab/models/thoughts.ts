// Parts what a model thinks aloud within its answer from the answer: everything between <think> and </think>.

const tags = /<(\/?)(?:think|thinking|thought)>/g;

export interface Spoken {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Thoughts that never end go on to the end of the text: it was cut. An end without a beginning ends thoughts that began
 * with the text: some prompts open them on the model's behalf.
 */
export function withoutThoughts(whole: string): Spoken {
  const thoughts: string[] = [];
  let text = '';
  let from = 0;
  let isThinking = false;
  for (const { 0: tag, 1: slash, index } of whole.matchAll(tags)) {
    const isEnd = slash === '/';
    if (isThinking && !isEnd) continue;
    const passage = whole.slice(from, index);
    if (isThinking) thoughts.push(passage);
    else if (isEnd) {
      thoughts.push(text + passage);
      text = '';
    } else text += passage;
    isThinking = !isEnd;
    from = index + tag.length;
  }
  const rest = whole.slice(from);
  if (isThinking) thoughts.push(rest);
  else text += rest;
  return { text: from === 0 ? whole : text.trim(), reasoning: joined(thoughts) };
}

/** Thoughts in the order they came, without empty ones. */
export function joined(thoughts: readonly string[]): string {
  return thoughts
    .map((thought) => thought.trim())
    .filter((thought) => thought !== '')
    .join('\n\n');
}
