import { catalogue, type ModelRow } from '../../generated/models.ts';
import type { Route } from '../../generated/routes.ts';
import { fieldsOf } from '../../overlay/json/json-value.ts';
import { nearestName } from '../../overlay/json/known-fields.ts';

/** The kind of model that an operation takes, by the first word of its id. Other operations have no model. */
const kinds: Readonly<Record<string, string>> = {
  chat: 'chat',
  anthropic: 'chat',
  responses: 'chat',
  tools: 'chat',
  embeddings: 'embedding',
  rerank: 'rerank',
  moderations: 'moderation',
  images: 'image',
  videos: 'video',
  'audio.transcribe': 'transcription',
  'audio.speech': 'speech',
  voice: 'voice',
  layout: 'ocr',
};

/** The models that exist for a fake. */
export class KnownModels {
  readonly #isAny: boolean;
  /** Kind by id in lower case. An id of a user fits every operation. */
  readonly #kinds: ReadonlyMap<string, string | undefined>;

  constructor(given: 'any' | 'known' | readonly (string | ModelRow)[] = 'known') {
    this.#isAny = given === 'any';
    const own = Array.isArray(given) ? given.map((one) => (typeof one === 'string' ? { id: one } : one)) : [];
    this.#kinds = new Map([...catalogue, ...own].map(({ id, kind }: { id: string; kind?: string }) => [id.toLowerCase(), kind]));
  }

  /** True if no model is refused. */
  get isAny(): boolean {
    return this.#isAny;
  }

  /** The reason against the model of a request, which names the nearest one. Undefined if the model exists, or the request has none. */
  problem({ id, surface }: Pick<Route, 'id' | 'surface'>, body: unknown): string | undefined {
    const { model } = fieldsOf(body);
    const wanted = kinds[id] ?? kinds[id.split('.')[0] as string];
    // Reported: messages answers such names with a model of its own.
    if (typeof model !== 'string' || wanted === undefined || (surface === 'messages' && model.startsWith('claude-'))) return undefined;
    const name = model.toLowerCase();
    if (this.#kinds.has(name) && (this.#kinds.get(name) ?? wanted) === wanted) return undefined;
    const near = nearestName(
      name,
      [...this.#kinds].flatMap(([one, kind = wanted]) => (kind === wanted ? [one] : [])),
    );
    return `the catalogue has no ${wanted} model ${model}${near === undefined ? '' : `; did you mean ${near}?`}`;
  }
}
