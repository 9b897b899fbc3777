import type { Route } from '../../generated/routes.ts';
import { fieldsOf, labelOf } from '../../overlay/json/json-value.ts';
import type { FakeRequest } from './request.ts';

/** The path parameter or field with the id of an operation, the code for an unknown one, and its word. Only 1233 of async results is reported. */
const fields: Readonly<Record<string, readonly [field: string, code: string, word: string]>> = {
  'client.getAsyncResult': ['id', '1233', 'task'],
  'fileParser.result': ['taskId', '1233', 'task'],
  'batch.retrieve': ['batch_id', '1233', 'batch'],
  'batch.cancel': ['batch_id', '1233', 'batch'],
  'batch.create': ['input_file_id', '1214', 'file'],
  'files.content': ['file_id', '1214', 'file'],
  'files.delete': ['file_id', '1214', 'file'],
  'voice.clone': ['file_id', '1214', 'file'],
  'voice.delete': ['voice', '1214', 'voice'],
  'agents.asyncResult': ['async_id', '1233', 'task'],
  'agents.conversation': ['conversation_id', '1214', 'conversation'],
};

/** The task, batch, file, voice or conversation that a request asks for. Undefined for other operations. */
export function askedId(
  route: Route,
  { body, parameters }: FakeRequest,
): { readonly field: string; readonly id: string; readonly code: string; readonly word: string } | undefined {
  const [field, code = '', word = ''] = fields[route.id] ?? [];
  return field === undefined ? undefined : { field, id: labelOf(parameters[field] ?? fieldsOf(body)[field]), code, word };
}
