// Codes that a mistake provokes for free, in the envelopes of the three surfaces.
import type { ReplyFields } from '../reply.ts';
import { answersOnId, answersWithCode, type Places, refusedAsClaimed, replyClaims } from './judges.ts';
import { bothKeys, type ClaimProbe, type ClaimSource, chatPath, hello, messagesPath, responsesPath } from './probe.ts';

interface Mistake {
  readonly name: string;
  readonly method?: string;
  readonly template: string;
  readonly path?: string;
  readonly body?: ReplyFields;
  readonly credential?: 'wrong';
  /** Codes that may be the answer. The first is the one that this mistake should have. */
  readonly codes: readonly string[];
  readonly envelope?: Places;
  /** Operation that the mistake shows too. */
  readonly operation?: string;
  /** Refusal of the spec that is this mistake. */
  readonly refusal?: string;
}

const withReference = {
  type: 'function',
  function: { name: 'now', parameters: { type: 'object', properties: { zone: { $ref: '#/$defs/zone' } }, $defs: { zone: { type: 'string' } } } },
};

export function codeProbes(source: ClaimSource): ClaimProbe[] {
  const { model } = source;
  // The mark of a coding tool at the end of a name is not part of any id.
  const unknown = `${model}[1m]`;
  const platform: Places = { PlatformError: '' };
  const anthropic: Places = { AnthropicError: '', AnthropicErrorDetail: 'error' };
  const responses: Places = { ResponsesError: '', ResponsesErrorDetail: 'error' };
  const mistakes: readonly Mistake[] = [
    {
      name: 'chat unknown model',
      template: chatPath,
      body: { model: unknown, messages: hello, max_tokens: 1 },
      codes: ['1211'],
      envelope: platform,
      refusal: 'chat.create.model_with_1m',
    },
    { name: 'chat missing field', template: chatPath, body: { model }, codes: ['1213', '1214', '1210'] },
    { name: 'chat wrong field', template: chatPath, body: { model, messages: hello, max_tokens: 'many' }, codes: ['1214', '1210', '1213'] },
    {
      name: 'messages unknown model',
      template: messagesPath,
      body: { model: unknown, messages: hello, max_tokens: 1 },
      codes: ['1211', 'not_found_error', 'invalid_request_error'],
      envelope: anthropic,
      refusal: 'anthropic.create.unknown_model',
    },
    {
      name: 'messages missing field',
      template: messagesPath,
      body: { model, max_tokens: 1 },
      codes: ['invalid_request_error', '1213', '1214', '1210'],
    },
    {
      name: 'responses unknown model',
      template: responsesPath,
      body: { model: unknown, input: 'Hi' },
      codes: ['model_not_found'],
      envelope: responses,
      refusal: 'responses.create.unknown_model',
    },
    { name: 'responses missing field', template: responsesPath, body: { model }, codes: ['invalid_request'] },
    { name: 'chat wrong key', method: 'GET', template: '/models', credential: 'wrong', codes: ['401', '1000', '1002', '1003', '1004'] },
    {
      name: 'messages wrong key',
      template: messagesPath,
      credential: 'wrong',
      body: { model, messages: hello, max_tokens: 1 },
      codes: ['authentication_error', '401', '1000', '1002', '1003', '1004'],
    },
    {
      name: 'responses wrong key',
      template: responsesPath,
      credential: 'wrong',
      body: { model, input: 'Hi' },
      codes: ['invalid_api_key', 'authentication_error', '401', '1000', '1002', '1003', '1004'],
      refusal: 'responses.create.wrong_key',
    },
    {
      name: 'unknown task',
      method: 'GET',
      template: '/async-result/{id}',
      path: '/async-result/modelsvc-confirm',
      codes: ['1233'],
      operation: 'client.getAsyncResult',
      refusal: 'client.getAsyncResult.unknown_task',
    },
    {
      name: 'chat schema with references',
      template: chatPath,
      body: { model, messages: hello, max_tokens: 1, tools: [withReference] },
      codes: ['1234'],
      refusal: 'chat.create.schema_with_references',
    },
    {
      name: 'responses max_output_tokens',
      template: responsesPath,
      body: { model, input: 'Hi', max_output_tokens: 1_000_000 },
      codes: ['invalid_request'],
      refusal: 'responses.create.max_output_tokens',
    },
  ];
  return mistakes.map(({ name, method = 'POST', template, path, body, credential, codes, envelope, operation, refusal }) => ({
    name,
    method,
    template,
    ...(path !== undefined && { path }),
    ...(body !== undefined && { body }),
    ...(credential !== undefined && { credential }),
    ...((template === messagesPath || template === responsesPath) && { keys: bothKeys }),
    work: { model, output: 1 },
    judges: [
      ...source.judged(...codes.map((code) => [`code:${code}`, answersWithCode(codes)] as const)),
      ...(envelope === undefined ? [] : replyClaims(source, envelope, { isFailure: true })),
      ...(operation === undefined ? [] : source.judged([`operation:${operation}`, answersOnId])),
      ...(refusal === undefined ? [] : source.judged([`refusal:${refusal}`, refusedAsClaimed])),
    ],
  }));
}
