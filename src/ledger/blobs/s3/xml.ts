// The little XML that S3 answers with: elements that hold text, and lists of such. Each is found in one pass: an answer may be
// long, and made to be looked through again and again.

/** The text of the first element of that name that holds nothing else; null where there is none. */
export function textOf(xml: string, name: string): string | null {
  for (let from = contentOf(xml, name, 0); from >= 0; ) {
    const end = xml.indexOf('<', from);
    if (end < 0) return null;
    if (xml.startsWith(`</${name}>`, end)) return unescapeXml(xml.slice(from, end));
    from = contentOf(xml, name, end);
  }
  return null;
}

/** What is inside each element of that name, in order. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const closing = `</${name}>`;
  for (let from = contentOf(xml, name, 0); from >= 0; ) {
    const end = xml.indexOf(closing, from);
    if (end < 0) break;
    found.push(xml.slice(from, end));
    from = contentOf(xml, name, end + closing.length);
  }
  return found;
}

/** Where the next element of that name begins to hold something; -1 where there is none. */
function contentOf(xml: string, name: string, from: number): number {
  const opening = `<${name}`;
  for (let at = xml.indexOf(opening, from); at >= 0; ) {
    const after = at + opening.length;
    if (xml.charAt(after) === '>') return after + 1;
    // Attributes; anything else makes it a longer name.
    if (/^\s$/.test(xml.charAt(after))) return xml.indexOf('>', after) + 1 || -1;
    at = xml.indexOf(opening, after);
  }
  return -1;
}

const entities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

const lastCodePoint = 0x10ffff;

/** A reference to what is no character is left as it is. */
function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities.get(name) ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= lastCodePoint ? String.fromCodePoint(point) : whole;
  });
}
