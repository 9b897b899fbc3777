// The ids that a fake accepts: from the spec's examples, its own replies, and scripted tasks.
import { examples } from '../../generated/examples.ts';
import { filesDelete, type Route, voiceDelete } from '../../generated/routes.ts';
import { fieldsOf, jsonOrUndefined, labelOf } from '../../overlay/json/json-value.ts';
import { askedId } from '../requests/asked-id.ts';
import type { Refusal } from '../requests/refusal.ts';
import type { FakeRequest } from '../requests/request.ts';
import { joined, textOf, type WireReply } from '../sockets/wire-reply.ts';

/** Text of all examples, to look for an id. */
let exampleText: string | undefined;

/** The ids that a fake accepts. */
export class KnownIds {
  readonly #given = new Set<string>();
  readonly #deleted = new Set<string>();

  clear(): void {
    this.#given.clear();
    this.#deleted.clear();
  }

  add(id: string): void {
    this.#given.add(id);
  }

  /** Learns the ids of a reply, and forgets the file or the voice that it deletes. */
  learn(route: Route, request: FakeRequest, wire: WireReply): void {
    if (wire.status !== 200 || wire.source || !wire.headers['content-type']?.includes('json')) return;
    for (const [name, value] of Object.entries(fieldsOf(jsonOrUndefined(textOf(joined(wire.blocks)))))) {
      if (!/(^|_)id$|^voice$/.test(name)) continue;
      this.#given.add(labelOf(value));
      this.#deleted.delete(labelOf(value));
    }
    if (route === filesDelete || route === voiceDelete) this.#deleted.add(askedId(route, request)?.id ?? '');
  }

  /** The error of an operation on an id that this fake has not given. */
  refusal(route: Route, request: FakeRequest): Refusal | undefined {
    const asked = askedId(route, request);
    if (asked === undefined) return undefined;
    const { id, code, word } = asked;
    if (!this.#deleted.has(id) && (this.#given.has(id) || isExample(id))) return undefined;
    return { status: 400, code, message: `The ${word} ${id} was not found.` };
  }
}

function isExample(id: string): boolean {
  exampleText ??= JSON.stringify(examples);
  return exampleText.includes(JSON.stringify(id));
}
