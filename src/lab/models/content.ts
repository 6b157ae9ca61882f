// The content of a message: a text, or a list of parts, some of which are thoughts.
import { fieldsOf, textIn } from './fields.ts';

export interface Content {
  /** Null where there is none at all. */
  readonly text: string | null;
  readonly thoughts: string;
}

export function contentOf(content: unknown): Content {
  if (typeof content === 'string') return { text: content, thoughts: '' };
  if (!Array.isArray(content)) return { text: null, thoughts: '' };
  const parts = content.map(fieldsOf);
  const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [textIn(text) ?? ''] : []));
  const thoughts = parts.flatMap(({ type, thinking }) => (type === 'thinking' ? [thoughtIn(thinking)] : []));
  return { text: texts.length === 0 ? null : texts.join(''), thoughts: thoughts.join('') };
}

/** A text, or again a list of parts. */
function thoughtIn(thinking: unknown): string {
  return textIn(thinking) ?? contentOf(thinking).text ?? '';
}
