// A text of any length in a box of its own that scrolls.
import { visible } from './parts.tsx';
import './long-text.css';

export function LongText({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <section class="long-text" aria-label={name} tabIndex={0}>
      <pre>{visible(text)}</pre>
    </section>
  );
}
