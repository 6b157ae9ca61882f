// Evidence comes in masses, and nearly all of it is sound. What its bytes must end with is known from where it is filed, and
// what they begin with can be told at a glance: such an event need not be parsed. What is not recognised is looked at properly.

import { type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import { glanceOf } from '../../../schemas/glance.ts';
import { stageNumber } from '../../../schemas/primitives.ts';
import { parseStream } from '../../../schemas/streams.ts';
import type { StoredEvent } from '../stored.ts';

export class Glance {
  readonly #beginnings = new Map<string, RegExp | null>();
  #stream = '';
  /** What stands between the revision and the type in every event of the stream at hand; null where it is no evidence. */
  #middle: string | null = null;

  /** Whether an event is filed as what it is, and is what its type asks for, without blobs or spans of causes. */
  isSound(event: StoredEvent): boolean {
    const middle = this.#middleOf(event.stream);
    if (middle === null) return false;
    const beginning = this.#beginningOf(event.type);
    if (beginning === null) return false;
    const { filedId: id, revision, body, type } = event;
    const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`;
    const version = versionOf(type as TypeName);
    const end = `,"id":"${uuid}","previous":null,"revision":${revision}${middle}${type}","version":${version}}`;
    return body.endsWith(end) && beginning.test(body.slice(0, -end.length));
  }

  #middleOf(stream: string): string | null {
    if (stream === this.#stream) return this.#middle;
    const name = parseStream(stream);
    this.#stream = stream;
    this.#middle =
      name?.category === 'evidence' && stageNumber.safeParse(name.stage).success
        ? `,"run":"${name.run}","stage":${name.stage},"stream":"${stream}","type":"`
        : null;
    return this.#middle;
  }

  #beginningOf(type: string): RegExp | null {
    const known = this.#beginnings.get(type);
    if (known !== undefined) return known;
    const made = glanceOf(type);
    this.#beginnings.set(type, made);
    return made;
  }
}
