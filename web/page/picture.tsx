// Drawings of rollouts. An SVG is always shown as an image, in which nothing runs and nothing is loaded, because plugins make it.
import { Plain } from './parts.tsx';

export function Picture({ svg, alt }: { readonly svg: string; readonly alt: string }) {
  return <img class="picture" alt={alt} src={`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`} />;
}

/** A drawing in characters. */
export function Characters({ drawing, alt }: { readonly drawing: string; readonly alt: string }) {
  return (
    <pre class="characters" role="img" aria-label={alt}>
      <Plain text={drawing} />
    </pre>
  );
}
