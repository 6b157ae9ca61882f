// The content of a message: a text, or a list of parts, some of which are thoughts.
import { type Fields, fieldsOf, textIn } from './fields.ts';

export interface Content {
  /** Null where there is none at all. */
  readonly text: string | null;
  readonly thoughts: string;
}

export function contentOf(content: unknown): Content {
  if (typeof content === 'string') return { text: content, thoughts: '' };
  if (!Array.isArray(content)) return { text: null, thoughts: '' };
  const parts = content.map(fieldsOf);
  const thoughts = parts.flatMap(({ type, thinking }) => (type === 'thinking' ? [thoughtIn(thinking)] : []));
  return { text: textOf(parts), thoughts: thoughts.join('') };
}

function textOf(parts: readonly Fields[]): string | null {
  const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [textIn(text) ?? ''] : []));
  return texts.length === 0 ? null : texts.join('');
}

/** A text, or again a list of parts, of which only the texts are taken: thoughts within thoughts could go on without end. */
function thoughtIn(thinking: unknown): string {
  const text = textIn(thinking);
  if (text !== undefined || !Array.isArray(thinking)) return text ?? '';
  return textOf(thinking.map(fieldsOf)) ?? '';
}
