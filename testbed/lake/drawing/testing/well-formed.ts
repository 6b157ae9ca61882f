// Checks that a text is one well-formed XML element: tags closed in order, attributes quoted and unique, text escaped. As strict as a
// browser, for the subset of XML that drawings use.

const tag = /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>/g;
const text = /^(?:[^<>&\p{Cc}]|\n|&#\d+;)*$/u;

/** The texts between tags in order; throws on invalid markup. */
export function textsIn(markup: string): string[] {
  const open: string[] = [];
  const texts: string[] = [];
  let at = 0;
  for (const match of markup.matchAll(tag)) {
    const [all, closing, name = '', attributes = '', single] = match;
    keep(markup.slice(at, match.index));
    at = match.index + all.length;
    requireSound(attributes);
    if (closing === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element`);
    } else if (single !== '/') open.push(name);
    if (open.length === 0 && markup.slice(at).trim() !== '') throw new Error('text after the end');
  }
  if (at === 0 || open.length > 0) throw new Error(`never closed: ${open.join(', ')}`);
  return texts;

  function keep(piece: string): void {
    if (!text.test(piece) || !piece.isWellFormed()) throw new Error(`invalid text: ${JSON.stringify(piece)}`);
    if (piece !== '') texts.push(decoded(piece));
  }
}

function requireSound(attributes: string): void {
  const names = [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name, value]) => {
    if (!text.test(value ?? '')) throw new Error(`invalid value: ${value}`);
    return name;
  });
  if (new Set(names).size !== names.length) throw new Error(`an attribute twice: ${attributes}`);
}

function decoded(piece: string): string {
  return piece.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
