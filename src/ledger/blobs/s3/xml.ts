// A minimal parser for the XML of S3's answers: elements that contain text, and lists of them. Each search is a single pass,
// since an answer may be long and malicious.

/** The text of the first element of that name without child elements; null if there is none. */
export function textOf(xml: string, name: string): string | null {
  const text = elementsOf(xml, name).find((content) => !content.includes('<'));
  return text === undefined ? null : unescapeXml(text);
}

/** The content of each element of that name, in order. */
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

/** Where the content of the next element of that name begins; -1 if there is none. */
function contentOf(xml: string, name: string, from: number): number {
  const opening = `<${name}`;
  for (let at = xml.indexOf(opening, from); at >= 0; ) {
    const after = at + opening.length;
    if (xml.charAt(after) === '>') return after + 1;
    // Attributes may follow; otherwise it is a longer name.
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

/** An invalid character reference is left unchanged. */
function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities.get(name) ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= lastCodePoint ? String.fromCodePoint(point) : whole;
  });
}
