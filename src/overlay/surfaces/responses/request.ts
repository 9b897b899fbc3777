import type { Effort } from '../../../generated/effort.ts';
import type { ResponsesBody } from '../../../generated/types.ts';
import { fieldsOf, isObject, listOf } from '../../json/json-value.ts';
import { bodyOf, checkRole, checkWord, type Without } from '../../json/known-fields.ts';
import { Problem } from '../../json/problem.ts';
import { withCompatibleTools } from '../../tool-schema/index.ts';

/** A request on the Responses surface. Fields have their wire names; unknown ones that do not look misspelled are sent unchanged. */
export interface ResponsesRequest extends Without<ResponsesBody, 'stream'> {
  /**
   * How deep the model thinks. Translated to `reasoning.effort` as the model accepts it; `responseInfo` of the result has the translation as
   * `effort`. Not together with `reasoning.effort`. No model of this surface can be kept from thinking. Left out, the service thinks at max.
   */
  effort?: Effort | null | undefined;
  /** Leave it out: `stream()` streams, and `create` waits for the complete response. */
  stream?: false | null | undefined;
}

const itemTypes = ['message', 'function_call', 'function_call_output', 'reasoning', 'web_search_call'];

/** The body of a request as it is sent, except for `effort`. Does not change the caller's objects. */
export function responsesBody(request: ResponsesRequest, schemaCompat: boolean, stream: boolean): ResponsesBody & Pick<ResponsesRequest, 'effort'> {
  const body = bodyOf(request, 'responses', stream);
  for (const [index, item] of listOf(body.input).entries()) checkItem(item, `input[${index}]`);
  return schemaCompat ? withCompatibleTools(body) : body;
}

/** A request for JSON, with the instructions of a format after its own. */
export function jsonRequest(request: ResponsesRequest, instructions: string): ResponsesRequest {
  const { text, instructions: own } = request;
  if ((fieldsOf(text)['format'] ?? undefined) !== undefined) throw new Problem('text.format', 'is set by parse: leave it out');
  if ((own ?? '') !== '' && typeof own !== 'string') throw new Problem('instructions', 'must be a string');
  return { ...request, instructions: own ? `${own}\n\n${instructions}` : instructions, text: { ...text, format: { type: 'json_object' } } };
}

function checkItem(item: unknown, path: string): void {
  const { type, role, content } = fieldsOf(item);
  checkWord(type, itemTypes, `${path}.type`);
  checkRole(role, `${path}.role`);
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  for (const [at, part] of parts.entries()) {
    // The service answers 200 and drops such an image without a word.
    if (isObject(fieldsOf(part)['image_url']))
      throw new Problem(
        `${path}.content${parts === content ? `[${at}]` : ''}.image_url`,
        'must be the URL itself, or a data: URL; the service ignores an object',
      );
  }
}
