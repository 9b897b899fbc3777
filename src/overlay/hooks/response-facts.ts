import { fieldsOf, isFields, listOf, textOf } from '../json/json-value.ts';

/** The id, the model and the finish reasons of a response, collected from the response itself, from chunks, or from events. */
export class ResponseFacts {
  responseId: string | undefined;
  model: string | undefined;
  readonly #finishReasons = new Map<unknown, string>();

  get finishReasons(): readonly string[] {
    return [...this.#finishReasons.values()];
  }

  /** Reads a response, a chunk, or an event with its payload in `data`. */
  add(item: unknown): void {
    const given = fieldsOf(item);
    const fields = isFields(given['data']) && !Array.isArray(given['choices']) ? given['data'] : given;
    const inner = fields['message'] ?? fields['response'];
    const head = isFields(inner) ? inner : fields;
    this.responseId ??= textOf(head['id']) || undefined;
    this.model ??= textOf(head['model']) || undefined;
    for (const choice of listOf(fields['choices']).map(fieldsOf)) this.#finish(choice['index'], choice['finish_reason']);
    this.#finish(0, head['stop_reason'] ?? fieldsOf(fields['delta'])['stop_reason']);
    if (head['object'] === 'response' && head['status'] !== 'in_progress')
      this.#finish(0, fieldsOf(head['incomplete_details'])['reason'] ?? head['status']);
  }

  #finish(index: unknown, reason: unknown): void {
    if (typeof reason === 'string' && reason !== '') this.#finishReasons.set(index ?? 0, reason);
  }
}
