import { listOf } from '../../overlay/json/json-value.ts';

/** The input of a request for a response as items. */
export function inputItems(input: unknown): readonly unknown[] {
  if (typeof input !== 'string') return listOf(input);
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
}
